import { itemSize } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { comparable } from "../../test/comparable.ts";
import { journalErrorOf } from "../../test/journal-error-of.ts";
import { checksumOf } from "./checksum.ts";
import type { EventRow } from "./event-row.ts";
import { ownAttributes } from "./own-attributes.ts";
import { decodeRow, encodeRow, type RowFormat } from "./row-format.ts";
import { encodeTombstone } from "./tombstone.ts";

const key = { persistenceId: "p-1", sequenceNr: 7 };
const row: EventRow = {
  kind: "event",
  ...key,
  payload: { serializerId: 20, manifest: "", bytes: Buffer.from("hello") },
  manifest: "",
  writerUuid: "w-1",
  tags: [],
  staged: false,
};
const ours: EventRow = {
  ...row,
  payload: { serializerId: 31, manifest: "com.acme.E", bytes: Buffer.from("{}") },
  manifest: "v2",
  writeId: "0123456789012345678901",
  timestamp: 1_794_709_573_790,
  tags: ["red", "blue", "red"],
  metadata: { serializerId: 742_001, manifest: "m", bytes: Buffer.from("1") },
  batch: { index: 1, lastIndex: 2 },
  staged: true,
};
const formats: readonly RowFormat[] = ["event", "pay", "message"];
const wid = { S: "0123456789012345678901" };
const without = (item: Item, names: readonly string[]) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

describe("an event's item", () => {
  test("of the format event has one attribute for each part, and none for what is empty", () => {
    expect(comparable(encodeRow(row, "event"))).toEqual(
      comparable({
        persistence_id: { S: "p-1" },
        seq: { N: "7" },
        event: { B: Buffer.from("hello") },
        ev_ser_id: { N: "20" },
        writer_uuid: { S: "w-1" },
      }),
    );
    expect(without(encodeRow(ours, "event"), ["event", "sum", "meta"])).toEqual({
      persistence_id: { S: "p-1" },
      seq: { N: "7" },
      ev_ser_id: { N: "31" },
      ev_ser_manifest: { S: "com.acme.E" },
      manifest: { S: "v2" },
      writer_uuid: { S: "w-1" },
      idx: { N: "1" },
      cnt: { N: "2" },
      wid: { S: "0123456789012345678901" },
      ts: { N: "1794709573790" },
      tags: { SS: ["blue", "red"] },
      staged: { BOOL: true },
      meta_ser_id: { N: "742001" },
      meta_ser_manifest: { S: "m" },
    });
  });

  test("of the formats pay and message holds one message", () => {
    expect(Object.keys(encodeRow({ ...row, batch: { index: 0, lastIndex: 1 } }, "pay"))).toEqual([
      "pay",
      "idx",
      "cnt",
    ]);
    const soft = { ...row, deleted: true, confirmations: ["b", "a"] };
    expect(without(encodeRow(soft, "message"), ["payload"])).toEqual({
      deleted: { S: "true" },
      confirmations: { SS: ["a", "b"] },
    });
    const names = { payload: "data", deleted: "gone", confirmations: "acks" };
    const item = encodeRow(soft, "message", names);
    expect(Object.keys(item)).toEqual(["data", "gone", "acks"]);
    expect(decodeRow(item, key, names)).toMatchObject({ deleted: true, confirmations: ["a", "b"] });
    expect(decodeRow(item, key)).toBeUndefined();
  });

  test.each(formats)("of the format %s without our attributes is the original's", (format) => {
    const item = encodeRow(ours, format);
    const original: EventRow = {
      ...ours,
      writeId: undefined,
      timestamp: undefined,
      tags: [],
      metadata: undefined,
      staged: false,
    };
    expect(comparable(without(item, ownAttributes))).toEqual(comparable(encodeRow(original, format)));
  });

  test("an atomic write of one event has no place in it: the original would not deliver it", () => {
    for (const format of formats)
      expect(encodeRow({ ...row, batch: { index: 0, lastIndex: 0 } }, format)).not.toHaveProperty("cnt");
  });

  test("our attributes take 64 bytes at most, tags and metadata apart", () => {
    const largest: EventRow = {
      ...row,
      writeId: "0123456789012345678901",
      timestamp: Number.MAX_SAFE_INTEGER,
      staged: true,
    };
    for (const format of formats) {
      const more = itemSize(encodeRow(largest, format)) - itemSize(encodeRow(row, format));
      expect(more).toBeGreaterThan(40);
      expect(more).toBeLessThanOrEqual(64);
    }
  });

  test.each(formats)("of the format %s is read back unchanged", (format) => {
    const texts = fc.string({ unit: "grapheme", maxLength: 20 });
    const payloads = fc.record({
      serializerId: fc.integer(),
      manifest: texts,
      bytes: fc.uint8Array({ maxLength: 200 }),
    });
    const rows = fc.record(
      {
        kind: fc.constant("event" as const),
        persistenceId: texts.filter((id) => id !== ""),
        sequenceNr: fc.maxSafeNat(),
        payload: payloads,
        manifest: texts,
        writerUuid: texts,
        tags: fc.uniqueArray(texts.filter((tag) => tag !== "")).map((tags) => tags.toSorted()),
        staged: fc.boolean(),
        timestamp: fc.maxSafeNat(),
        metadata: payloads,
        batch: fc
          .tuple(fc.nat(1000), fc.nat(1000))
          .map(([index, after]) => ({ index, lastIndex: index + after + 1 })),
        writeId: texts,
      },
      {
        requiredKeys: [
          "kind",
          "persistenceId",
          "sequenceNr",
          "payload",
          "manifest",
          "writerUuid",
          "tags",
          "staged",
        ],
      },
    );
    const extra = format === "message" ? { deleted: false } : {};
    fc.assert(
      fc.property(rows, (written) => {
        const { persistenceId, sequenceNr } = written;
        const read = decodeRow(encodeRow(written, format), { persistenceId, sequenceNr });
        // A row of the original has nothing of ours.
        const {
          timestamp: _time,
          metadata: _metadata,
          ...original
        } = { ...written, tags: [], staged: false };
        const expected = written.writeId === undefined ? original : written;
        expect(comparable(read)).toEqual(comparable({ ...expected, ...extra }));
      }),
    );
  });

  test("is read by what it holds; NULL is nothing", () => {
    const event = encodeRow(row, "event");
    expect(decodeRow({ ...event, pay: { NULL: true } }, key)).toEqual(row);
    const pay = encodeRow(row, "pay");
    expect(comparable(decodeRow({ ...pay, event: { NULL: true } }, key))).toEqual(comparable(row));
    expect(decodeRow({ seq: { N: "100" } }, key)).toBeUndefined();
  });

  test("contains its sequence number and id; otherwise the key does", () => {
    const { seq, persistence_id: id, ...rest } = encodeRow(row, "event");
    const elsewhere = { persistenceId: "other", sequenceNr: 1 };
    expect(
      decodeRow({ ...rest, ...(seq && { seq }), ...(id && { persistence_id: id }) }, elsewhere),
    ).toMatchObject(key);
    expect(decodeRow(rest, elsewhere)).toMatchObject(elsewhere);
  });

  test("of the original has nothing of ours, whatever other programs have added", () => {
    const read = decodeRow(encodeRow(row, "event"), key);
    const foreign: Item = {
      ts: { S: "2026-01-01" },
      tags: { L: [{ S: "red" }] },
      meta: { S: "{}" },
      crc: { B: new Uint8Array(4) },
      sum: { B: new Uint8Array(4) },
      expires: { N: "1700000000" },
      ttl: { N: "1700000000" },
      staged: { BOOL: true },
      above_hole: { BOOL: true },
    };
    for (const format of formats)
      expect(comparable(decodeRow({ ...encodeRow(row, format), ...foreign }, key))).toEqual(
        comparable(decodeRow(encodeRow(row, format), key)),
      );
    expect(read).toMatchObject({ tags: [], staged: false });
  });

  test("of a naive table may have an attribute idx", () => {
    const read = decodeRow({ ...encodeRow(row, "message"), idx: { N: "1" } }, key);
    expect(comparable(read)).toEqual(comparable(decodeRow(encodeRow(row, "message"), key)));
  });

  test("of the original may lack a writer", () => {
    const { writer_uuid: _, ...rest } = encodeRow(row, "event");
    expect(decodeRow(rest, key)).toMatchObject({ writerUuid: "" });
  });

  test.each<[string, Item]>([
    ["ev_ser_id", { event: { B: new Uint8Array() } }],
    ["ev_ser_id", { event: { B: new Uint8Array() }, ev_ser_id: { S: "20" } }],
    ["ev_ser_id", { event: { B: new Uint8Array() }, ev_ser_id: { N: "2147483648" } }],
    ["ev_ser_id", { event: { B: new Uint8Array() }, ev_ser_id: { N: "0.99999999999999999999" } }],
    ["writer_uuid", { event: { B: new Uint8Array() }, ev_ser_id: { N: "20" }, writer_uuid: { N: "1" } }],
    [
      "writer_uuid",
      { event: { B: new Uint8Array() }, ev_ser_id: { N: "20" }, cnt: { N: "1" }, idx: { N: "0" } },
    ],
    ["idx", { event: { B: new Uint8Array() }, ev_ser_id: { N: "20" }, cnt: { N: "1" } }],
    ["cnt", { event: { B: new Uint8Array() }, ev_ser_id: { N: "20" }, idx: { N: "1" } }],
    ["idx", { event: { B: new Uint8Array() }, ev_ser_id: { N: "20" }, cnt: { N: "1" }, idx: { N: "2" } }],
    [
      "meta_ser_id",
      { wid, event: { B: new Uint8Array() }, ev_ser_id: { N: "20" }, meta: { B: new Uint8Array() } },
    ],
    ["crc", { wid, event: { B: new Uint8Array() }, ev_ser_id: { N: "20" }, crc: { B: new Uint8Array(3) } }],
    ["sum", { wid, event: { B: new Uint8Array() }, ev_ser_id: { N: "20" }, sum: { B: new Uint8Array(5) } }],
    ["pay", { pay: { B: Uint8Array.of(1) } }],
    ["pay", { pay: { B: Uint8Array.of(0x10, 1) } }],
    ["payload", { payload: { B: Uint8Array.of(1) } }],
    ["event", { event: { S: "" }, ev_ser_id: { N: "20" } }],
    ["event", { event: { NULL: true }, ev_ser_id: { N: "20" } }],
    ["event", { ev_ser_id: { N: "20" }, seq: { N: "100" } }],
    ["pay", { pay: { S: "CgE=" } }],
    ["payload", { payload: { M: {} } }],
  ])("with a wrong %s is rejected with its place", (attribute, item) => {
    const error = journalErrorOf(() => decodeRow(item, key));
    expect(error).toMatchObject({
      code: "JOURNAL_ROW_CORRUPT",
      kind: "corrupt",
      details: { ...key, attribute },
    });
  });
});

describe("numbers that JavaScript would round", () => {
  test.each(["9007199254740992", "9007199254740993", "1e300", "-1", "1.5"])(
    "%s is no sequence number",
    (seq) => {
      const item = { ...encodeRow(row, "event"), seq: { N: seq } };
      const error = journalErrorOf(() => decodeRow(item, key));
      expect(error).toMatchObject({ code: "JOURNAL_SEQUENCE_NR_UNSAFE", details: { sequenceNr: seq } });
    },
  );

  test("are rejected as sequence numbers in a message too", () => {
    const pay = Buffer.from("0a050814120161" + "1081808080808080" + "10", "hex");
    const error = journalErrorOf(() => decodeRow({ pay: { B: pay } }, key));
    expect(error).toMatchObject({
      code: "JOURNAL_SEQUENCE_NR_UNSAFE",
      details: { sequenceNr: "9007199254740993" },
    });
  });

  test.each([2 ** 53, -1, 1.5, Number.NaN])("%s is not written", (sequenceNr) => {
    const error = journalErrorOf(() => encodeRow({ ...row, sequenceNr }, "event"));
    expect(error.code).toBe("JOURNAL_SEQUENCE_NR_UNSAFE");
  });

  test("the greatest one is", () => {
    const greatest = { ...row, sequenceNr: Number.MAX_SAFE_INTEGER };
    for (const format of formats)
      expect(decodeRow(encodeRow(greatest, format), key)).toMatchObject({
        sequenceNr: 9_007_199_254_740_991,
      });
  });
});

test.each<[string, Partial<EventRow>]>([
  ["tags", { tags: [""] }],
  ["tags", { tags: ["\ud83d"] }],
  ["timestamp", { timestamp: 1.5 }],
  ["timestamp", { timestamp: -1 }],
  ["manifest", { manifest: "\ud83d" }],
  ["serializerManifest", { payload: { ...row.payload, manifest: "\ud83d" } }],
])("wrong %s are rejected before they are written", (field, part) => {
  const error = journalErrorOf(() => encodeRow({ ...row, ...part }, "event"));
  expect(error).toMatchObject({ code: "JOURNAL_EVENT_INVALID", details: { field } });
});

describe("the checksum", () => {
  test("of no bytes is the same at every offset", () => {
    const payload = { serializerId: 4, manifest: "" };
    const empty = [new Uint8Array(0), new Uint8Array(new ArrayBuffer(0)), Buffer.from("ab").subarray(2)];
    const sums = empty.map((bytes) => checksumOf({ ...payload, bytes }, 7));
    expect(new Set(sums).size).toBe(1);
    expect(sums[0]).not.toBe(0);
  });

  test.each(formats)("finds every changed bit of what an event of the format %s says", (format) => {
    const item = encodeRow({ ...ours, staged: false }, format);
    expect(decodeRow(item, key)).toBeDefined();
    const changes: Item[] = [
      { meta: { B: Buffer.from("2") } },
      { meta_ser_id: { N: "742003" } },
      { meta_ser_manifest: { S: "n" } },
      ...(format === "event"
        ? [
            { event: { B: Buffer.from("{ }") } },
            { event: { B: Buffer.from("[]") } },
            { event: { B: new Uint8Array() } },
            { ev_ser_id: { N: "32" } },
            { ev_ser_manifest: { S: "com.acme.F" } },
            { manifest: { S: "v3" } },
          ]
        : []),
    ];
    for (const change of changes) {
      const error = journalErrorOf(() => decodeRow({ ...item, ...change }, key));
      expect(error).toMatchObject({ code: "JOURNAL_CHECKSUM_MISMATCH", kind: "corrupt", details: key });
    }
  });

  test("finds a change inside a message", () => {
    const item = encodeRow(ours, "pay");
    const message = Buffer.from(item["pay"]?.B ?? []);
    message[message.indexOf("{}")] = 0x5b;
    const error = journalErrorOf(() => decodeRow({ ...item, pay: { B: message } }, key));
    expect(error.code).toBe("JOURNAL_CHECKSUM_MISMATCH");
  });

  test("is not on rows of the original", () => {
    expect(Object.keys(encodeRow(row, "event")).filter((name) => name.startsWith("crc"))).toEqual([]);
  });
});

describe("a tombstone", () => {
  test("has no payload, and keeps its sequence number", () => {
    const item = encodeTombstone({ writeId: "w", expiresAt: 1_800_000_000 });
    expect(item).toEqual({ tomb: { BOOL: true }, wid: { S: "w" }, ttl: { N: "1800000000" } });
    expect(decodeRow(item, key)).toEqual({
      kind: "tombstone",
      sequenceNr: 7,
      writeId: "w",
      expiresAt: 1_800_000_000,
    });
    expect(decodeRow(encodeTombstone({}), key)).toEqual({ kind: "tombstone", sequenceNr: 7 });
  });
});
