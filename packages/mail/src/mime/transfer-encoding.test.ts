import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeQuotedPrintable, decodeTransfer, decodeTransferSteps } from "./transfer-encoding.ts";

/** The same with a regular expression. */
function decodedByRegex(body: string): string {
  return body.replaceAll(/=[ \t]*\r?\n|=([0-9A-Fa-f]{2})/g, (_all, hex?: string) =>
    hex === undefined ? "" : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

test("decodes quoted-printable, and keeps malformed sequences", () => {
  const piece = fc.constantFrom(
    "=",
    "4",
    "1",
    "aF",
    " ",
    "\t",
    "\r",
    "\n",
    "\r\n",
    "x",
    "\xfc",
    "=3D",
    "=\r\n",
  );
  const property = fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
    const body = pieces.join("");
    expect(decodeQuotedPrintable(body).toString("latin1")).toBe(decodedByRegex(body));
  });
  fc.assert(property, { numRuns: 2000 });
});

test("decodes in steps what it decodes in one go", () => {
  // Steps end near 1 Mi characters: escapes and soft line breaks are placed around there.
  for (let shift = 0; shift < 24; shift++) {
    const body = `${"x".repeat(1_048_560 + shift)}=41==\r\n=42= \t\r\n${"=C3=BC".repeat(200_000)}`;
    const { decoded, yields } = inSteps(body, " Quoted-Printable ");
    expect(decoded.equals(decodeQuotedPrintable(body))).toBe(true);
    expect(yields).toBeGreaterThan(1);
  }
});

function inSteps(body: string, encoding: string): { decoded: Buffer; yields: number } {
  const steps = decodeTransferSteps(body, encoding);
  for (let yields = 0; ; yields++) {
    const { done, value } = steps.next();
    if (done) return { decoded: value, yields };
  }
}

const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 7919) >> 5));
const inLines = (text: string, width: number) => text.replaceAll(new RegExp(`.{${width}}`, "g"), "$&\r\n");

test.each([
  ["in lines", inLines(bytes.toString("base64"), 76)],
  ["in one line", bytes.toString("base64")],
  ["in lines of odd lengths", inLines(bytes.toString("base64"), 61)],
  ["without padding", inLines(bytes.toString("base64url"), 76)],
  ["with other characters", inLines(bytes.toString("base64"), 76).replaceAll("\r\n", "\r\n *.\xfc")],
  ["with a footer", `${inLines(bytes.toString("base64"), 76).trimEnd()}=\r\n-- \r\nsent to the list\r\n`],
  ["padded in each line", inLines(bytes.toString("hex"), 46).replaceAll(/.+/g, asPaddedBase64)],
])("decodes base64 %s in steps of about 1 MiB", (_how, body) => {
  const { decoded, yields } = inSteps(body, "base64");
  expect(decoded.equals(bytes)).toBe(true);
  expect(yields).toBeGreaterThanOrEqual(Math.floor(body.length / 1_048_576));
});

function asPaddedBase64(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}

test("decodes base64 that is padded in the middle, and ignores text after the padding", () => {
  const piece = fc.uint8Array({ minLength: 1, maxLength: 50 });
  const property = fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
    const body = pieces.map((each) => `${Buffer.from(each).toString("base64")}\r\n`).join("");
    expect(decodeTransfer(body, "base64").equals(Buffer.concat(pieces))).toBe(true);
  });
  fc.assert(property, { numRuns: 500 });
  expect(decodeTransfer("aGk=\r\n-- \r\nsent to the list\r\n", "base64").toString()).toBe("hi");
});
