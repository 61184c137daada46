import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MailhogContent } from "../model/mailhog-shape.ts";
import { mailhogJson, mailhogMessage, mailhogPart, mailhogText } from "./mailhog-message.ts";
import { mailhogLimits } from "./outline.ts";

const sourceOf = (raw: string | Uint8Array) => ({
  id: "ID",
  envelope: { from: "a@b", to: ["c@d"], helo: "me" },
  raw: Buffer.from(raw as string),
  created: Date.UTC(2026, 10, 15, 2, 11, 38, 120),
  hostname: "host",
});
const jsonOf = (raw: string | Uint8Array) => [...mailhogJson(sourceOf(raw))].join("");

/** The parts of all levels. */
function partsOf(mime: { readonly Parts: readonly MailhogContent[] | null } | null): MailhogContent[] {
  return (mime?.Parts ?? []).flatMap((part) => [part, ...partsOf(part.MIME)]);
}

const nested = (levels: number, inner: string) => {
  let text = inner;
  for (let level = 0; level < levels; level++)
    text = `Content-Type: multipart/mixed; boundary=b${level}x\r\n\r\n--b${level}x\r\n${text}\r\n--b${level}x--`;
  return text;
};

describe("a message as JSON", () => {
  test("equals the object, for any bytes", () => {
    const piece = fc.constantFrom(
      "\r\n",
      "\r\n\r\n",
      "--b",
      "Content-Type: multipart/mixed; boundary=b",
      "Headers: x",
      "__proto__: y",
      ": ",
      '<&>\u2028"\\\u0001',
      "é😀",
      "\xff",
    );
    const property = fc.property(fc.array(piece, { maxLength: 40 }), fc.boolean(), (pieces, latin1) => {
      const raw = Buffer.from(pieces.join(""), latin1 ? "latin1" : "utf8");
      const { headers, body } = mailhogText(sourceOf(raw));
      expect(JSON.parse(jsonOf(raw))).toEqual(JSON.parse(JSON.stringify(mailhogMessage(sourceOf(raw)))));
      expect(mailhogMessage(sourceOf(raw)).Content).toMatchObject({
        Headers: headers,
        Body: [...body].join(""),
      });
      const indented = [...mailhogJson(sourceOf(raw), { indent: 2 })].join("");
      expect(indented).toBe(JSON.stringify(JSON.parse(indented), null, 2).replace(/[<>&\u2028]/g, unicode));
    });
    fc.assert(property, { numRuns: 300 });
  });

  test("has every header under its own name, sorted by bytes as Go does", () => {
    const names = ["constructor", "__proto__", "Headers", "toString", "10", "9", "Parts", "é", "Z"];
    const raw = `${names.map((name) => `${name}: of ${name}`).join("\r\n")}\r\n\r\nx\r\n`;
    const json = jsonOf(raw);
    const headers = JSON.parse(json, function (this: unknown, key, value) {
      return key === "Headers" && !Array.isArray(value) ? Object.entries(value) : value;
    }).Content.Headers as [string, string[]][];
    for (const name of names.filter((each) => each !== "__proto__"))
      expect(headers).toContainEqual([name, [`of ${name}`]]);
    const found = [...json.matchAll(/"([^"]+)":\["of /g)].map(([, name]) => name);
    expect(found).toEqual(["10", "9", "Headers", "Parts", "Z", "__proto__", "constructor", "toString", "é"]);
  });

  test("does not split a character between chunks", () => {
    for (const shift of ["", "x", "xx", "xxx"]) {
      const text = shift + "😀é".repeat(40_000);
      expect(JSON.parse(jsonOf(`A: b\r\n\r\n${text}\r\n`)).Content.Body).toBe(text);
    }
  });
});

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

describe("a message that is built to be large in MailHog's shape", () => {
  const hostile: readonly (readonly [name: string, raw: string])[] = [
    ["100 nested multiparts", nested(100, "x".repeat(300_000))],
    ["3,000 nested multiparts", nested(3000, "x")],
    [
      "lines that begin with the boundary",
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--bx\r\n".repeat(300_000)}`,
    ],
    ["nothing but the boundary", `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b".repeat(700_000)}`],
    ["dashes", `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"-".repeat(3_000_000)}`],
    ["header lines", `${"a: b\r\n".repeat(400_000)}\r\nx`],
    ["folds", `a: b\r\n${" \r\n".repeat(700_000)}\r\nx`],
    ["line ends", `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b${"\r\n".repeat(1_000_000)}--b--`],
  ];

  test.each(hostile)("%s: returns JSON within the limits, in small chunks", (_name, raw) => {
    let length = 0;
    let longest = 0;
    for (const chunk of mailhogJson(sourceOf(raw))) {
      length += chunk.length;
      longest = Math.max(longest, chunk.length);
    }
    // Line ends, quotes and controls grow by their escapes.
    expect(longest).toBeLessThanOrEqual(65_536 * 6);
    expect(length).toBeLessThan((raw.length * (mailhogLimits.timesSize + 2) + mailhogLimits.bytes) * 2.5);
    const { MIME, Content } = mailhogMessage(sourceOf(raw));
    const parts = partsOf(MIME);
    expect(parts.length).toBeLessThanOrEqual(mailhogLimits.parts + mailhogLimits.depth);
    expect(Content.Body.length + Object.keys(Content.Headers).length).toBeGreaterThan(0);
  });

  test("loses nothing: the last part contains the rest", () => {
    const raw = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--bx\r\n".repeat(2000)}end`;
    const { MIME } = mailhogMessage(sourceOf(raw));
    expect(MIME?.Parts).toHaveLength(mailhogLimits.parts);
    expect(MIME?.Parts?.at(-1)?.Body).toMatch(/^x\r\n--bx.*end$/s);
    expect(MIME?.Parts?.[0]).toMatchObject({ Body: "x", Size: 1 });
  });

  test("yields while it is read", () => {
    const raw = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"-".repeat(5_000_000)}`;
    expect([...mailhogJson(sourceOf(raw))].filter((chunk) => chunk === "").length).toBeGreaterThanOrEqual(4);
  });
});

test("a part has its exact bytes, with transfer encodings decoded", async () => {
  const head = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n";
  const raw = Buffer.concat([
    Buffer.from(head),
    Buffer.of(0xfc, 0x62, 0x65, 0x72, 0xc3, 0xbc),
    Buffer.from("\r\n--b\r\ncontent-transfer-encoding: Quoted-Printable\r\n\r\n=FC=\r\n b\r\n--b--\r\n"),
  ]);
  expect((await mailhogPart(raw, 0))?.content).toEqual(Buffer.of(0xfc, 0x62, 0x65, 0x72, 0xc3, 0xbc));
  expect((await mailhogPart(raw, 1))?.content).toEqual(Buffer.of(0xfc, 0x20, 0x62));
  expect((await mailhogPart(raw, 2))?.content).toEqual(Buffer.from("--"));
  expect(await mailhogPart(raw, 3)).toBeUndefined();
  expect(await mailhogPart(raw, -1)).toBeUndefined();
  expect(await mailhogPart(Buffer.from("no parts"), 0)).toBeUndefined();
});
