import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readBase64Lines, writeBase64Lines } from "./chunk-item.ts";

function lines(count: number, width: number): string {
  const text = randomBytes((count * width * 3) / 4).toString("base64");
  return text.replaceAll(new RegExp(`.{${width}}`, "g"), "$&\r\n");
}

const read = (text: string) => readBase64Lines(Buffer.from(text, "latin1"));

describe("lines of base64", () => {
  test.each([40, 64, 72, 76, 1000])("of %d characters are decoded and restored", (width) => {
    const text = `--b\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines(500, width)}YWI=\r\n--b--\r\n`;
    const found = read(text) ?? assert.fail("no base64 was found");
    expect(found.decoded.length).toBeGreaterThan((500 * width * 3) / 4 - 1);
    expect(writeBase64Lines(found)?.toString("latin1")).toBe(text);
  });

  test.each([
    ["text", "The quick brown fox.\r\n".repeat(500)],
    ["lines that only look like it", `${"A".repeat(70)}!${"A".repeat(5)}\r\n`.repeat(500)],
    ["the other alphabet", `${"-_".repeat(38)}\r\n`.repeat(500)],
    ["padding inside", `${"YWI=".repeat(19)}\r\n`.repeat(500)],
    ["too little of it", `${"Some text.\r\n".repeat(300)}${lines(50, 76)}`],
    ["bare line feeds", lines(500, 76).replaceAll("\r\n", "\n")],
    ["nothing", ""],
  ])("%s stays as it is", (_name, text) => {
    expect(read(text)).toBeUndefined();
  });

  test("decoded lines are restored exactly, for any cut and any change", () => {
    const whole = Buffer.from(lines(40, 76), "latin1");
    const property = fc.property(
      fc.nat(300),
      fc.nat(300),
      fc.nat(2000),
      fc.nat(255),
      (from, less, at, byte) => {
        const bytes = Buffer.from(whole.subarray(from, whole.length - less));
        bytes[at] = byte;
        const found = readBase64Lines(bytes);
        if (found !== undefined) expect(writeBase64Lines(found)?.equals(bytes)).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 2000 });
  });

  test("rejects bytes that are not a packed chunk", () => {
    const empty = new Uint8Array(0);
    expect(
      writeBase64Lines({ before: empty, decoded: randomBytes(10), width: 76, after: empty }),
    ).toBeUndefined();
  });
});
