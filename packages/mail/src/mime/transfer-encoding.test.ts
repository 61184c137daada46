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
    const steps = decodeTransferSteps(body, " Quoted-Printable ");
    let yields = 0;
    let decoded: Buffer | undefined;
    while (decoded === undefined) {
      const { done, value } = steps.next();
      if (done) decoded = value;
      else yields++;
    }
    expect(decoded.equals(decodeQuotedPrintable(body))).toBe(true);
    expect(yields).toBeGreaterThan(1);
  }
});

test("decodes base64 that is padded in the middle, and ignores text after the padding", () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 50 });
  const property = fc.property(fc.array(bytes, { minLength: 1, maxLength: 5 }), (pieces) => {
    const body = pieces.map((piece) => `${Buffer.from(piece).toString("base64")}\r\n`).join("");
    expect(decodeTransfer(body, "base64").equals(Buffer.concat(pieces))).toBe(true);
  });
  fc.assert(property, { numRuns: 500 });
  expect(decodeTransfer("aGk=\r\n-- \r\nsent to the list\r\n", "base64").toString()).toBe("hi");
});
