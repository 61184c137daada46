import { maxItemBytes } from "@tablekeep/client";
import { afterEach, describe, expect, test } from "vitest";
import { createCodecs, type Journal, type JournalOptions, openJournal } from "../src/index.ts";
import { collect, engineWith, layouts, numbersOf, range } from "./journal-world.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

async function journalWith(options: JournalOptions): Promise<Journal> {
  const given = {
    table: "events",
    ...(options.layout === "scattered" && { sequenceShards: 10 }),
    ...options,
  };
  const port = await engineWith(given);
  open.push(port);
  return openJournal(port, given);
}

/** What the original counts beside the payload: two ids, the journal's name, 26, serializer, number, writer. */
const besidePayload = (id: string, journalName: string) =>
  2 * id.length + journalName.length + 26 + 1 + 1 + 36;

describe.each(layouts)("%s: an event", (layout) => {
  const journalName = layout === "linear" ? "" : "journal";
  const largest = 400_000 - besidePayload("size", journalName);
  const bytes = (length: number) => ({ payload: new Uint8Array(length) });

  test("may be as large as the original allows, and not a byte larger", async () => {
    const journal = await journalWith({ layout, format: "event" });
    const writer = await journal.recover("size");
    const outcomes = await writer.appendEach([bytes(largest + 1), bytes(largest), bytes(largest)]);
    expect(outcomes).toMatchObject([
      {
        kind: "rejected",
        error: { code: "JOURNAL_EVENT_TOO_LARGE", details: { actual: 400_001, maximum: 400_000 } },
      },
      { kind: "ok", value: { first: 1 } },
      { kind: "ok", value: { first: 2 } },
    ]);
    const found = await collect(journal.replay("size"));
    expect(found.map(({ payload }) => (payload as Uint8Array).length)).toEqual([largest, largest]);
  });

  test("that is too large takes its atomic write along, also one that would be staged, and no other", async () => {
    const journal = await journalWith({ layout, format: "event" });
    const writer = await journal.recover("size");
    const many = Array.from({ length: 110 }, () => bytes(10));
    const outcomes = await writer.appendEach([
      bytes(1),
      [bytes(2), bytes(largest + 1), bytes(3)],
      [...many, bytes(largest + 1)],
      many,
      bytes(4),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["ok", "rejected", "rejected", "ok", "ok"]);
    expect(numbersOf(await collect(journal.replay("size")))).toEqual(range(1, 112));
  });

  test("that only its tags or metadata make larger than DynamoDB stores is rejected, and its neighbors are not", async () => {
    const journal = await journalWith({ layout, format: "event" });
    const writer = await journal.recover("size");
    const outcomes = await writer.appendEach([
      { ...bytes(largest), tags: ["t".repeat(9_000)] },
      { ...bytes(largest), metadata: "m".repeat(12_000) },
      [bytes(5), { ...bytes(largest), metadata: "m".repeat(12_000) }],
      { ...bytes(largest), metadata: "m".repeat(5_000) },
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["ok", "rejected", "rejected", "ok"]);
    expect(outcomes[1]).toMatchObject({
      error: { code: "JOURNAL_EVENT_TOO_LARGE", details: { maximum: maxItemBytes } },
    });
    expect(numbersOf(await collect(journal.replay("size")))).toEqual([1, 2]);
  });
});

test.each(["event", "pay", "message"] as const)(
  "a limit of one's own holds in the format %s",
  async (format) => {
    const journal = await journalWith({ format, maxItemSize: 1_000 });
    const writer = await journal.recover("size");
    const outcomes = await writer.appendEach([{ payload: "x".repeat(800) }, { payload: "x".repeat(1_000) }]);
    expect(outcomes).toMatchObject([
      { kind: "ok" },
      { kind: "rejected", error: { code: "JOURNAL_EVENT_TOO_LARGE", details: { maximum: 1_000 } } },
    ]);
  },
);

test("an event whose codec fails is rejected, and its neighbors are reported correctly", async () => {
  const fail = (payload: unknown) => {
    if (payload === "bad") throw new TypeError("no such type");
    return undefined;
  };
  const own = createCodecs();
  const encode: typeof own.encode = (payload, as) => fail(payload) ?? own.encode(payload, as);
  for (const [codecs, code] of [
    [createCodecs({ choose: fail }), "JOURNAL_PAYLOAD_REFUSED"],
    [{ ...own, encode }, "JOURNAL_EVENT_INVALID"],
  ] as const) {
    const journal = await journalWith({ codecs });
    const writer = await journal.recover("fails");
    const outcomes = await writer.appendEach([{ payload: "good" }, { payload: "bad" }, { payload: "too" }]);
    expect(outcomes).toMatchObject([
      { kind: "ok", value: { first: 1 } },
      { kind: "rejected", error: { code, cause: { message: "no such type" } } },
      { kind: "ok", value: { first: 2 } },
    ]);
  }
});

test("the replay returns the inner serializer and manifest of a compressed event", async () => {
  const journal = await journalWith({ codecs: createCodecs({ compression: { minBytes: 100 } }) });
  const writer = await journal.recover("packed");
  const payload = { text: "x".repeat(500) };
  await writer.appendEach([
    { payload, serializerManifest: "order" },
    { payload: "y".repeat(500) },
    { payload: 7 },
  ]);
  const found = await collect(journal.replay("packed"));
  expect(found).toMatchObject([
    { payload, serializerId: 742_001, serializerManifest: "order" },
    { payload: "y".repeat(500), serializerId: 20, serializerManifest: "" },
    { payload: 7, serializerId: 19, serializerManifest: "" },
  ]);
});
