import { fakeClock } from "@tablekeep/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MailOptions, type MailSearch, openMail } from "../../src/index.ts";
import { engineWithMail } from "../engine-mail.ts";
import { search } from "./mail-arbitraries.ts";
import { envelope, rawMessage } from "./message-arbitraries.ts";
import { finds, type Remembered, textsFor } from "./plain-reader.ts";

const kinds = ["from", "to", "containing", "text", "sender", "recipient"] as const;

/** Where to cut a query out of the searched text. */
const cut = fc.record({
  message: fc.nat(20),
  kind: fc.constantFrom(...kinds),
  text: fc.nat(20),
  at: fc.nat(3000),
  length: fc.integer({ min: 1, max: 12 }),
  upper: fc.boolean(),
});

function queryOf(
  messages: readonly Remembered[],
  { message, kind, text, at, length, upper }: typeof cut extends fc.Arbitrary<infer Cut> ? Cut : never,
): MailSearch | undefined {
  const from = messages[message % messages.length];
  const texts = from === undefined ? [] : textsFor(kind, from).filter((each) => each !== "");
  const chosen = texts[text % Math.max(1, texts.length)] ?? "";
  const isWhole = kind === "sender" || kind === "recipient";
  const start = at % Math.max(1, chosen.length);
  const query = isWhole ? chosen : chosen.slice(start, start + length);
  // Decoded texts are searched line by line, so that a query must not contain a line end.
  if (query === "" || (kind === "text" && /[\r\n]/.test(query))) return undefined;
  return { kind, query: upper ? query.toUpperCase() : query };
}

const layouts: readonly (readonly [name: string, runs: number, options: MailOptions])[] = [
  ["sharded", 60, { layout: "sharded" }],
  ["mhdynamo", 40, { layout: "mhdynamo" }],
];

describe.each(layouts)("a search, %s", (name, numRuns, options) => {
  test("finds exactly what a scan of all messages finds", async () => {
    const stored = fc.record({ envelope, raw: rawMessage(name === "sharded") });
    const inputs = [
      fc.array(stored, { minLength: 1, maxLength: 6 }),
      fc.array(cut, { minLength: 12, maxLength: 24 }),
      fc.array(search, { minLength: 2, maxLength: 6 }),
    ] as const;
    const property = fc.asyncProperty(...inputs, async (given, cuts, searches) => {
      const clock = fakeClock({ startAt: Date.UTC(2050, 2, 10, 11, 59, 58) });
      const port = await engineWithMail(options);
      const mail = await openMail(port, { ...options, clock });
      const messages: Remembered[] = [];
      for (const each of given) messages.push({ ...each, ...(await mail.store(each.envelope, each.raw)) });
      const queries = cuts.map((each) => queryOf(messages, each)).filter((each) => each !== undefined);
      for (const each of [...queries, ...searches]) {
        const { items } = await mail.search(each);
        const expected = messages.filter((message) => finds(each, message)).map(({ id }) => id);
        expect(items.map(({ id }) => id).reverse(), JSON.stringify(each)).toEqual(expected);
      }
      await mail.close();
      await port.close();
    });
    await fc.assert(property, { numRuns });
  }, 600_000);
});
