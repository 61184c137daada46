import { itemSize } from "@tablekeep/client";
import { type Item, isTablekeepError } from "@tablekeep/core";
import { seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import type { EventRow } from "./event-row.ts";
import { decodePackedItem, encodePackedItem, packedHead, packedSpan } from "./packed-item.ts";
import { packRows } from "./packed-split.ts";

type Random = ReturnType<typeof seededRandom>;

const id = "order-1";
const texts = ["", "a", "manifest", "Ünïcødé-日本語-🦊", "x".repeat(200)];

function bytesOf(random: Random, most: number): Uint8Array {
  return Uint8Array.from({ length: random.int(0, most) }, () => random.int(0, 255));
}

function payloadOf(random: Random, most: number) {
  const serializerId = random.pick([0, 1, -1, 17, 4711, 2 ** 31 - 1, -(2 ** 31)]);
  return { serializerId, manifest: random.pick(texts), bytes: bytesOf(random, most) };
}

/** Writes that follow each other, with all that an event can have. */
function randomRows(random: Random, first: number, most = 300): EventRow[] {
  const rows: EventRow[] = [];
  const group = random.chance(0.5) ? "group" : undefined;
  for (let write = random.int(1, 5); write > 0; write--) {
    const of = random.pick([1, 1, 2, 3, 20]);
    const writeId = group ?? `write-${random.int(1, 9)}`;
    const writerUuid = random.pick(["writer-a", "writer-b", ""]);
    for (let index = 0; index < of; index++)
      rows.push({
        kind: "event",
        persistenceId: id,
        sequenceNr: first + rows.length,
        payload: payloadOf(random, most),
        manifest: random.pick(texts),
        writerUuid,
        timestamp: random.pick([undefined, 0, 1, 1_700_000_000_000, Number.MAX_SAFE_INTEGER - 1]),
        tags: random.pick([[], ["blue"], ["blue", "red", "日本"]]),
        metadata: random.chance(0.3) ? payloadOf(random, 30) : undefined,
        batch: of > 1 ? { index, lastIndex: of - 1 } : undefined,
        writeId,
        staged: false,
        ...(random.chance(0.1) && { deleted: true }),
        ...(random.chance(0.1) && { confirmations: ["one", "two"] }),
        ...(random.chance(0.1) && { sender: "akka://path" }),
      });
  }
  return rows;
}

const head = { writeId: "write-1", writerUuid: "writer-a", time: 1_700_000_000_000 };

function decode(item: Item, first: number): EventRow[] {
  return decodePackedItem(item, { persistenceId: id, sequenceNr: first });
}

describe("an item of the packed layout", () => {
  test("returns the events that were packed, whatever they hold", () => {
    for (let seed = 0; seed < 100; seed++) {
      const random = seededRandom(seed);
      const first = random.pick([1, 7, 1_000_000, 2 ** 52]);
      const rows = randomRows(random, first);
      const item = encodePackedItem(rows, head, first);
      expect(decode(item, first)).toEqual(rows);
      const last = rows[rows.length - 1]?.sequenceNr;
      expect(packedSpan(item, first)).toMatchObject({ first, last });
    }
  });

  test("without the events before a number keeps its key, its end and the places of the others", () => {
    for (let seed = 0; seed < 100; seed++) {
      const random = seededRandom(seed);
      const rows = randomRows(random, 5);
      const cut = random.int(0, rows.length - 1);
      const whole = encodePackedItem(rows, head, 5);
      const item = encodePackedItem(rows.slice(cut), packedHead(whole), 5);
      expect(decode(item, 5)).toEqual(rows.slice(cut));
      expect(packedSpan(item, 5).last).toBe(packedSpan(whole, 5).last);
    }
  });

  test.each([0, 1, 2, 3])("is corrupt if any one byte of it changes (seed %d)", (seed) => {
    const random = seededRandom(seed);
    const item = encodePackedItem(randomRows(random, 3, 40), head, 3);
    for (const damaged of everyDamage(item))
      expect(codeOf(() => decode(damaged, 3))).toBe("JOURNAL_ITEM_CORRUPT");
  });

  test("is corrupt without any one of its attributes, at another key and under another id", () => {
    const rows = randomRows(seededRandom(1), 3).map((row) => ({ ...row, tags: ["t"] }));
    const item = encodePackedItem(rows, head, 3);
    for (const name of Object.keys(item)) {
      const { [name]: _gone, ...rest } = item;
      expect([name, codeOf(() => decode(rest, 3))]).toEqual([name, "JOURNAL_ITEM_CORRUPT"]);
      expect(codeOf(() => decode({ ...item, [name]: { NULL: true } }, 3))).toBe("JOURNAL_ITEM_CORRUPT");
    }
    expect(codeOf(() => decode(item, 4))).toBe("JOURNAL_ITEM_CORRUPT");
    expect(codeOf(() => decodePackedItem(item, { persistenceId: "order-2", sequenceNr: 3 }))).toBe(
      "JOURNAL_ITEM_CORRUPT",
    );
  });

  test("adds few bytes to an event", () => {
    const event = (at: number, size: number): EventRow => ({
      kind: "event",
      persistenceId: id,
      sequenceNr: at + 1,
      payload: { serializerId: 4711, manifest: "", bytes: new Uint8Array(size) },
      manifest: "",
      writerUuid: "f6f0f6d6-6a0e-4b0e-9d59-3a9d6f3a4b52",
      timestamp: head.time,
      tags: [],
      writeId: head.writeId,
      staged: false,
    });
    const sizeOf = (count: number, size: number) => {
      const rows = Array.from({ length: count }, (_unused, at) => ({
        ...event(at, size),
        batch: { index: at, lastIndex: count - 1 },
      }));
      return itemSize(encodePackedItem(rows, { ...head, writerUuid: event(0, 0).writerUuid }, 1));
    };
    expect((sizeOf(1001, 100) - sizeOf(1, 100)) / 1000).toBeLessThanOrEqual(106);
    expect(sizeOf(100, 1024)).toBeLessThanOrEqual(104 * 1024);
  });
});

describe("rows packed into items", () => {
  const withKey = (item: Item, first: number) =>
    Object.assign(item, { par: { S: id }, num: { N: String(first) } });

  test.each([400, 1000, 20_000, 400_000])("of at most %d bytes lose nothing", (limit) => {
    for (let seed = 0; seed < 40; seed++) {
      const rows = randomRows(seededRandom(`${limit} ${seed}`), 9);
      const parts = packRows(rows, head, limit, withKey);
      expect(parts.flatMap(({ item, first }) => decode(item, first))).toEqual(rows);
      for (const part of parts) {
        expect(part.size).toBe(itemSize(part.item));
        if (part.rows.length > 1) expect(part.size).toBeLessThanOrEqual(limit);
      }
    }
  });

  test("say in each item where their write begins and ends", () => {
    const rows = Array.from({ length: 10 }, (_unused, at) => ({
      ...(randomRows(seededRandom(2), 1)[0] as EventRow),
      sequenceNr: 11 + at,
      payload: { serializerId: 1, manifest: "", bytes: new Uint8Array(150) },
      batch: { index: at, lastIndex: 9 },
    }));
    const parts = packRows(rows, head, 900, withKey);
    expect(parts.length).toBeGreaterThan(1);
    for (const { item, first } of parts)
      expect(packedSpan(item, first)).toMatchObject({ writeFirst: 11, writeLast: 20 });
  });
});

/** The item with one byte of one value changed, for every byte. */
function* everyDamage(item: Item): Generator<Item> {
  for (const [name, value] of Object.entries(item)) {
    if (value.B !== undefined)
      for (let at = 0; at < value.B.length; at++)
        for (const bit of [1, 128]) {
          const bytes = Uint8Array.from(value.B);
          bytes[at] = (bytes[at] as number) ^ bit;
          yield { ...item, [name]: { B: bytes } };
        }
    for (const text of damagedTexts(value.S)) yield { ...item, [name]: { S: text } };
    for (const text of damagedTexts(value.N)) yield { ...item, [name]: { N: text } };
    for (const [at, tag] of (value.SS ?? []).entries())
      for (const text of damagedTexts(tag)) yield { ...item, [name]: { SS: value.SS?.with(at, text) ?? [] } };
  }
}

function* damagedTexts(text = ""): Generator<string> {
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === "7" ? "8" : "7";
    yield text.slice(0, at) + other + text.slice(at + 1);
  }
}

function codeOf(read: () => unknown): string {
  try {
    read();
    return "no error";
  } catch (error) {
    return isTablekeepError(error) ? error.code : String(error);
  }
}
