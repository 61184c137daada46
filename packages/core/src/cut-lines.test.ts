import fc from "fast-check";
import { expect, test } from "vitest";
import { type CutLine, cutLines, type TextChunks } from "./cut-lines.ts";

class Invalid extends Error {}
class TooLong extends Error {
  readonly line: number;

  constructor(line: number) {
    super();
    this.line = line;
  }
}

const errors = {
  invalid: (reason: string) => new Invalid(reason),
  tooLong: (number: number) => new TooLong(number),
};

async function lines(chunks: TextChunks): Promise<CutLine[]> {
  const found: CutLine[] = [];
  for await (const line of cutLines(chunks, errors)) found.push(line);
  return found;
}

test("lines are the same wherever the bytes are cut", async () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "日", "\n"), maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (given, size) => {
      const bytes = Buffer.from(given);
      const whole = given.split("\n").slice(0, -1);
      const expected = whole.flatMap((line, at) =>
        line === ""
          ? []
          : {
              text: line,
              number: at + 1,
              bytesSoFar: Buffer.byteLength(`${whole.slice(0, at + 1).join("\n")}\n`),
            },
      );
      /** Every chunk in the same memory, as some streams do. */
      function* reusing(): Generator<Uint8Array> {
        const memory = Buffer.alloc(size);
        for (let at = 0; at < bytes.length; at += size)
          yield memory.subarray(0, bytes.copy(memory, 0, at, at + size));
      }
      expect(await lines(reusing())).toEqual(expected);
      expect(await lines([given])).toEqual(expected);
    }),
  );
});

test("what cannot be cut into lines is an error of the caller's package", async () => {
  await expect(lines(7 as never)).rejects.toBeInstanceOf(Invalid);
  const endless = Array.from({ length: 17 }, () => Buffer.alloc(1024 * 1024, "x"));
  const tooLong = lines(["first\n", ...endless]);
  await expect(tooLong).rejects.toBeInstanceOf(TooLong);
  await expect(tooLong).rejects.toMatchObject({ line: 2 });
});

test("a chunk that is neither text nor bytes is an error after the lines before it", async () => {
  const read: string[] = [];
  const reading = (async () => {
    for await (const { text } of cutLines(["first\n", 7] as never, errors)) read.push(text);
  })();
  await expect(reading).rejects.toBeInstanceOf(Invalid);
  expect(read).toEqual(["first"]);
});
