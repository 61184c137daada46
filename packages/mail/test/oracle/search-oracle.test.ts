import { fakeClock } from "@tablekeep/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Mail, type MailOptions, type MailSearch, openMail } from "../../src/index.ts";
import { engineWithMail } from "../engine-mail.ts";
import { itemsOf, makeBlocks } from "../signature-block-steps.ts";
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

/** Searches that are counted as well: each is run several times. */
const counted = 2;

/** Compares totals and first pages with those of a scan. `messages` are oldest first. */
async function expectTotals(mail: Mail, messages: readonly Remembered[], searches: readonly MailSearch[]) {
  for (const each of searches) {
    const { items, total } = await mail.search(each, { total: true, limit: 3 });
    const expected = messages.filter((message) => finds(each, message)).map(({ id }) => id);
    expect([total, ...items.map(({ id }) => id)], JSON.stringify(each)).toEqual([
      expected.length,
      ...expected.reverse().slice(0, 3),
    ]);
  }
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
      fc.nat(20),
    ] as const;
    const property = fc.asyncProperty(...inputs, async (given, cuts, searches, deleted) => {
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
      const repeated = [...queries, ...searches].slice(0, counted);
      const other = await openMail(port, { ...options, clock });
      for (const each of [mail, mail]) await expectTotals(each, messages, repeated);
      // What was read before is not read again: deletes, marks and new messages must be noticed anyway.
      const [gone] = messages.splice(deleted % messages.length, 1);
      await other.deleteOne(gone?.id ?? "");
      if (name === "sharded")
        await mail.mark(messages.map(({ id }) => id).slice(1), { read: true, addTags: ["invoice"] });
      // Ids of one millisecond that two instances make have no order.
      clock.jump(1000);
      const again = given[deleted % given.length] as (typeof given)[number];
      messages.push({ ...again, ...(await other.store(again.envelope, again.raw)) });
      for (const each of [mail, other]) await expectTotals(each, messages, repeated);
      await other.deleteAll();
      for (const each of [mail, other]) await expectTotals(each, [], repeated.slice(0, 1));
      await other.close();
      await mail.close();
      await port.close();
    });
    await fc.assert(property, { numRuns });
  }, 600_000);
});

describe("the first search of an instance", () => {
  test("finds exactly what a scan finds, with blocks of signatures, without, and with stale or missing ones", async () => {
    const stored = fc.record({ envelope, raw: rawMessage(false) });
    const inputs = [
      fc.array(stored, { minLength: 20, maxLength: 30 }),
      fc.array(cut, { minLength: 6, maxLength: 10 }),
      fc.array(search, { minLength: 1, maxLength: 3 }),
      fc.nat(19),
    ] as const;
    const property = fc.asyncProperty(...inputs, async (given, cuts, searches, chosen) => {
      const clock = fakeClock({ startAt: Date.UTC(2050, 2, 10, 11) });
      const port = await engineWithMail({ clock });
      const mail = await openMail(port, { clock });
      const messages: Remembered[] = [];
      for (const each of given) messages.push({ ...each, ...(await mail.store(each.envelope, each.raw)) });
      await mail.close();
      clock.jump(2 * 3_600_000);
      const queries = cuts.map((each) => queryOf(messages, each)).filter((each) => each !== undefined);
      const expectFirst = async () => {
        for (const total of [false, true]) {
          const fresh = await openMail(port, { clock });
          for (const each of [...queries, ...searches]) {
            const { items } = await fresh.search(each, { total, limit: 100 });
            const expected = messages.filter((message) => finds(each, message)).map(({ id }) => id);
            expect(items.map(({ id }) => id).reverse(), JSON.stringify(each)).toEqual(expected);
          }
          await fresh.close();
        }
      };
      await expectFirst();
      await makeBlocks(port, clock);
      await expectFirst();
      const other = await openMail(port, { clock });
      const [gone] = messages.splice(chosen, 1);
      await other.deleteOne(gone?.id ?? "");
      await expectFirst();
      const again = given[chosen] as (typeof given)[number];
      const original = { created: Date.UTC(2050, 2, 10, 11, 30), key: "elsewhere" };
      const imported = await other.importMessage(original, again.envelope, again.raw);
      if (imported === undefined) throw new Error("not imported");
      messages.push({ ...again, ...imported });
      await expectFirst();
      clock.jump(2 * 3_600_000);
      await makeBlocks(port, clock);
      const [block] = await itemsOf(port, "g#");
      if (block?.["pk"] === undefined || block["sk"] === undefined) throw new Error("no block");
      await port.deleteItem({ TableName: "mail", Key: { pk: block["pk"], sk: block["sk"] } });
      await expectFirst();
      await other.close();
      await port.close();
    });
    await fc.assert(property, { numRuns: 8 });
  }, 600_000);
});
