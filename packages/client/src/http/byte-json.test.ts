import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readByteJson } from "./byte-json.ts";
import { memberValue } from "./member-value.ts";

const read = (text: string) => readByteJson(Buffer.from(text));

describe("JSON read from bytes", () => {
  test("is what JSON.parse makes of it, or is left to JSON.parse", () => {
    let readHere = 0;
    fc.assert(
      fc.property(fc.json(), (text) => {
        const compact = JSON.stringify(JSON.parse(text));
        const value = read(compact);
        if (value === undefined) {
          expect(compact).toMatch(/\\|"__proto__"/);
        } else {
          readHere++;
          // Texts in members called B and BS are bytes.
          expect(value).toEqual(JSON.parse(compact, memberValue));
        }
      }),
      { numRuns: 2_000 },
    );
    expect(readHere).toBeGreaterThan(500);
  });

  test("texts of any length and any character come out whole", () => {
    const characters = fc.string({ unit: "binary", maxLength: 80 });
    fc.assert(
      fc.property(fc.dictionary(characters, characters, { noNullPrototype: true }), (texts) => {
        const json = JSON.stringify(texts);
        expect(read(json) ?? JSON.parse(json)).toEqual(texts);
      }),
      { numRuns: 500 },
    );
  });

  test("bytes that are cut or changed are never another value than JSON.parse's", () => {
    const whole = Buffer.from(
      '{"Items":[{"a":{"S":"xyz"},"b":{"N":"-1.5e3"}},{}],"Count":2,"More":[true,null]}',
    );
    const damage = fc.record({
      at: fc.nat(whole.length - 1),
      byte: fc.integer({ min: 32, max: 255 }),
      cut: fc.boolean(),
    });
    fc.assert(
      fc.property(damage, ({ at, byte, cut }) => {
        const bytes = cut ? whole.subarray(0, at) : Buffer.from(whole);
        if (!cut) bytes[at] = byte;
        const value = readByteJson(bytes);
        if (value !== undefined) expect(value).toEqual(JSON.parse(bytes.toString()));
      }),
      { numRuns: 3_000 },
    );
  });

  test("a name is not taken for another one whose characters are its bytes", () => {
    expect(read('{"Ã©":1}')).toEqual({ "Ã©": 1 });
    expect(read('{"é":1}')).toEqual({ é: 1 });
    expect(read('{"Ã©":1}')).toEqual({ "Ã©": 1 });
  });

  test.each([
    '{"a":"\\u0041"}',
    '{"__proto__":{"a":1}}',
    '{ "a":1}',
    '{"a" :1}',
    '{"a":1}x',
    '{"a":1,}',
    "[1,]",
    "[",
    '{"a',
    "",
  ])("%s is left to JSON.parse", (text) => expect(read(text)).toBeUndefined());

  test("nesting without end is left to JSON.parse", () => {
    expect(read("[".repeat(1_000_000))).toBeUndefined();
  });

  test("base64 becomes bytes", () => {
    expect(read('{"B":{"B":"AQID"},"BS":{"BS":["AQ==",""]},"x":["AQ=="]}')).toEqual({
      B: { B: Uint8Array.of(1, 2, 3) },
      BS: { BS: [Uint8Array.of(1), Uint8Array.of()] },
      x: ["AQ=="],
    });
  });
});
