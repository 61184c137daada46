import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DumpSplitter, type WantedPieces } from "./dump-splitter.ts";

const all = { items: true, member: () => true };

/** Splits a text that arrives in chunks of the given lengths, in turns. */
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
/** Any JSON, written in the narrow or the wide way. */
const indent = fc.constantFrom(undefined, 1, "\t", 4);

describe("a dump", () => {
  test("comes out as it went in, wherever its bytes are cut and however it is written", () => {
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

  test("tells where each part begins", () => {
    const text = '{"Items": [ {"ü":1}, 22 ]}';
    const bytes = Buffer.from(text);
    expect(split(text, [3]).map(({ at, text: part }) => [at, part])).toEqual([
      [bytes.indexOf("{", 1), '{"ü":1}'],
      [bytes.indexOf("22"), "22"],
    ]);
  });

  test("gives only what is wanted", () => {
    const text = '{"a":{"x":[1]},"Items":[{"y":"]}"}],"b":2}';
    const pieces = split(text, [2], { items: false, member: (name) => name === "b" });
    expect(pieces.map(({ member, text: part }) => [member, part])).toEqual([["b", "2"]]);
  });

  test("holds no more than one part: what is passed over may be of any length", () => {
    const splitter = new DumpSplitter({ items: false, member: () => false });
    splitter.push(Buffer.from('{"Items":["'));
    for (let megabyte = 0; megabyte < 64; megabyte++) splitter.push(Buffer.alloc(1024 * 1024, "x"));
    splitter.push(Buffer.from('"]}'));
    splitter.end();
  });

  test("with a part that no item can be is refused before it is held", () => {
    const splitter = new DumpSplitter(all);
    splitter.push(Buffer.from('{"Items":["'));
    const fill = () => {
      for (let megabyte = 0; megabyte < 20; megabyte++) splitter.push(Buffer.alloc(1024 * 1024, "x"));
    };
    expect(fill).toThrow(expect.objectContaining({ code: "CLI_DUMP_INVALID" }));
  });
});

describe("what is no dump", () => {
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
  ])("%j is refused, in one chunk and byte by byte", (text) => {
    for (const cuts of [[1], [1000]]) {
      const refused = () => {
        // A comma too many begins a part that is not JSON.
        for (const { text: part } of split(text, cuts)) JSON.parse(part);
      };
      expect(refused).toThrow();
    }
  });

  test("never comes out as more than it was: any text is a dump or an error", () => {
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
