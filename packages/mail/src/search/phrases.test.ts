import fc from "fast-check";
import { expect, test } from "vitest";
import { commonPhrases, phraseFinder, samplesOf } from "./phrases.ts";

const word = fc.constantFrom("Plum", "pear7", "fig", "ab", "Straße", "x@y.example", "\t", "\0", "\r\n", ", ");
const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(" "));
const message = fc.array(text, { minLength: 1, maxLength: 3 });

test("each phrase that is found in a message is part of it, whatever its case, and no common word is missing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 12 }), async (messages) => {
      const phrases = await commonPhrases(
        messages.map((pieces) => pieces.map((piece) => Buffer.from(piece))),
      );
      const find = phraseFinder(phrases);
      for (const pieces of messages) {
        const found = new Set<string>();
        for (const piece of pieces)
          find(Buffer.from(piece), (phrase) => found.add(phrases[phrase] as string));
        for (const phrase of found)
          expect(pieces.some((piece) => piece.toLowerCase().includes(phrase))).toBe(true);
        const hasWord = (wanted: string) =>
          pieces.some((piece) => piece.split(/[^0-9A-Za-z]+/).some((each) => each.toLowerCase() === wanted));
        for (const wanted of ["plum", "pear7", "fig"].filter((each) => phrases.includes(each)))
          expect(found.has(wanted)).toBe(hasWord(wanted));
      }
    }),
  );
});

test("a phrase is common if an eighth of the messages, and at least two, contain it", async () => {
  const messages = Array.from({ length: 32 }, (_, at) => [
    Buffer.from(`Every one\r\n${at < 4 ? "eighth" : "most"} ${at < 3 ? "few" : "so"} alone${at}\r\n`),
  ]);
  const common = await commonPhrases(messages);
  expect(common).toEqual(expect.arrayContaining(["every one", "every", "one", "most", "most so", "eighth"]));
  expect(common[0]).toMatch(/^every|^one/);
  for (const rare of ["few", "alone1"]) expect(common).not.toContain(rare);
});

test("two words with what is between them are found, even if one is short", async () => {
  const messages = ["Your order, no 17", "YOUR ORDER, no 18"].map((text) => [Buffer.from(text)]);
  const common = await commonPhrases(messages);
  const find = phraseFinder(common);
  for (const [piece] of messages) {
    const found: string[] = [];
    find(piece as Buffer, (phrase) => found.push(common[phrase] as string));
    expect(found.toSorted()).toEqual(["order", "order, no", "your", "your order"]);
  }
});

test("short and long strings are not phrases", async () => {
  const text = `no ${"x".repeat(201)}\r\n${"y".repeat(200)}`;
  expect(await commonPhrases([[Buffer.from(text)], [Buffer.from(text)]])).toEqual(["y".repeat(200)]);
});

test("samples are spread over all", () => {
  expect(samplesOf([1, 2, 3])).toEqual([1, 2, 3]);
  const samples = samplesOf(Array.from({ length: 1000 }, (_, at) => at));
  expect(samples.length).toBeGreaterThanOrEqual(32);
  expect(samples.length).toBeLessThanOrEqual(33);
  expect(samples.at(-1)).toBeGreaterThan(960);
});
