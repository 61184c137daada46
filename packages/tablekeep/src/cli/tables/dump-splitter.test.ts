import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DumpSplitter, type WantedPieces } from "./dump-splitter.ts";

const all = { items: true, member: () => true };

/** Splits a string that arrives in chunks of the given lengths, in turn. */
function split(text: string, lengths: readonly number[], wanted: WantedPieces = all) {
  const bytes = Buffer.from(text, "utf8");
  const splitter = new DumpSplitter(wanted);
  const pieces = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (lengths[turn % lengths.length] as number);
    pieces.push(...splitter.push(bytes.subarray(at, end)));
    at = end;
  }
  splitter.end();
  return pieces;
}

const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
/** Any JSON, compact or indented. */
const indent = fc.constantFrom(undefined, 1, "\t", 4);

describe("a dump", () => {
  test("is returned unchanged, wherever its bytes are cut and however it is formatted", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.array(fc.jsonValue()),
        lengths,
        indent,
        fc.boolean(),
        (head, items, cuts, wide, first) => {
          const document = first
            ? { TableDescription: head, Items: items }
            : { Items: items, TableDescription: head };
          const pieces = split(JSON.stringify(document, null, wide), cuts);
          const parsed = pieces.map(({ member, text }) => [member, JSON.parse(text)]);
          const expected = items.map((item) => [undefined, JSON.parse(JSON.stringify(item))]);
          const description = ["TableDescription", JSON.parse(JSON.stringify(head))];
          expect(parsed).toEqual(first ? [description, ...expected] : [...expected, description]);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("returns the position of each part", () => {
    const text = '{"Items": [ {"ü":1}, 22 ]}';
    const bytes = Buffer.from(text);
    expect(split(text, [3]).map(({ at, text: part }) => [at, part])).toEqual([
      [bytes.indexOf("{", 1), '{"ü":1}'],
      [bytes.indexOf("22"), "22"],
    ]);
  });

  test("returns only the requested parts", () => {
    const text = '{"a":{"x":[1]},"Items":[{"y":"]}"}],"b":2}';
    const pieces = split(text, [2], { items: false, member: (name) => name === "b" });
    expect(pieces.map(({ member, text: part }) => [member, part])).toEqual([["b", "2"]]);
  });

  test("has at most one part in memory: skipped members may be of any length", () => {
    const splitter = new DumpSplitter({ items: false, member: () => false });
    splitter.push(Buffer.from('{"Items":["'));
    for (let megabyte = 0; megabyte < 64; megabyte++) splitter.push(Buffer.alloc(1024 * 1024, "x"));
    splitter.push(Buffer.from('"]}'));
    splitter.end();
  });

  test("with a part that is too large for an item is rejected before it is in memory", () => {
    const splitter = new DumpSplitter(all);
    splitter.push(Buffer.from('{"Items":["'));
    const fill = () => {
      for (let megabyte = 0; megabyte < 20; megabyte++) splitter.push(Buffer.alloc(1024 * 1024, "x"));
    };
    expect(fill).toThrow(expect.objectContaining({ code: "CLI_DUMP_INVALID" }));
  });
});

describe("input that is not a dump", () => {
  test.each([
    "",
    " ",
    "{",
    "[]",
    "null",
    "1",
    '"x"',
    "{a:1}",
    '{"a"}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '{"a":1,}',
    '{,"a":1}',
    '{"Items":1}',
    '{"Items":"x"}',
    '{"Items":[}',
    '{"Items":[1 2]}',
    '{"Items":[1,]}',
    '{"Items":[1]',
    '{"Items":[1]}}',
    '{"Items":[1]} x',
    '{"Items":[1],"Items":[2]}',
    '{"\\x":1}',
    "\ufeff{}",
  ])("%j is rejected, in one chunk and byte by byte", (text) => {
    for (const cuts of [[1], [1000]]) {
      const rejected = () => {
        // An extra comma starts a part that is not JSON.
        for (const { text: part } of split(text, cuts)) JSON.parse(part);
      };
      expect(rejected).toThrow();
    }
  });

  test("any string is a dump or an error, and nothing is added to it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'{}[]:,"\\ \n1Items'.split("")) }),
        lengths,
        (text, cuts) => {
          let pieces: ReturnType<typeof split>;
          try {
            pieces = split(text, cuts);
            for (const { text: part } of pieces) JSON.parse(part);
          } catch {
            return;
          }
          JSON.parse(text);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
