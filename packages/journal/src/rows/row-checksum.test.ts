import { crc32 } from "node:zlib";
import type { Item } from "@tablekeep/core";
import { expect, test } from "vitest";
import { journalErrorOf } from "../../test/journal-error-of.ts";
import type { EventRow } from "./event-row.ts";
import { decodeRow, encodeRow, type RowFormat } from "./row-format.ts";

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
  writeId: "0123456789012345678901",
  timestamp: 1_794_709_573_790,
  tags: ["red", "blue", "red"],
  batch: { index: 1, lastIndex: 2 },
  staged: true,
};
const formats: readonly RowFormat[] = ["event", "pay", "message"];
const without = (item: Item, names: readonly string[]) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

test.each(formats)(
  "the checksum finds every change of what is beside an event of the format %s",
  (format) => {
    const expiring = { ...ours, aboveHole: true, expiresAt: 1_800_000_000_000 };
    const item = encodeRow(expiring, format);
    expect(decodeRow(item, key)).toMatchObject({ batch: expiring.batch, staged: true });
    const changes: Item[] = [
      { idx: { N: "0" } },
      { idx: { N: "2" } },
      { cnt: { N: "1" } },
      { cnt: { N: "3" } },
      { expires: { N: "1800000000001" } },
      { ts: { N: "1794709573791" } },
      { wid: { S: "1123456789012345678901" } },
      { tags: { SS: ["red"] } },
      { tags: { SS: ["blue", "green", "red"] } },
      { staged: { BOOL: false } },
      { above_hole: { BOOL: false } },
      ...(format === "event" ? [{ writer_uuid: { S: "w-2" } }] : []),
    ];
    for (const change of changes) {
      const error = journalErrorOf(() => decodeRow({ ...item, ...change }, key));
      expect(error).toMatchObject({ code: "JOURNAL_CHECKSUM_MISMATCH", kind: "corrupt", details: key });
    }
    for (const gone of [["expires"], ["ts"], ["tags"], ["staged"], ["above_hole"], ["idx", "cnt"]])
      expect(journalErrorOf(() => decodeRow(without(item, gone), key)).code).toBe(
        "JOURNAL_CHECKSUM_MISMATCH",
      );
    const single = encodeRow({ ...row, writeId: "w" }, format);
    const additions: Item[] = [
      { idx: { N: "0" }, cnt: { N: "1" } },
      { expires: { N: "1" } },
      { staged: { BOOL: true } },
    ];
    for (const added of additions)
      expect(journalErrorOf(() => decodeRow({ ...single, ...added }, key)).code).toBe(
        "JOURNAL_CHECKSUM_MISMATCH",
      );
    // DynamoDB returns a set in any order.
    expect(decodeRow({ ...item, tags: { SS: ["red", "blue"] } }, key)).toBeDefined();
  },
);

test("the checksum of a row of version 0.2 covers what it did then", () => {
  // Written out: it does not use what it checks.
  const sum = crc32("hello", crc32("20:5:0:"));
  const bytes = Uint8Array.of(sum >>> 24, sum >>> 16, sum >>> 8, sum);
  const item: Item = {
    ...without(encodeRow({ ...row, writeId: "w" }, "event"), ["sum"]),
    crc: { B: bytes },
  };
  expect(decodeRow(item, key)).toMatchObject({ writeId: "w", sequenceNr: 7 });
  const changed = { ...item, event: { B: Buffer.from("hallo") } };
  expect(journalErrorOf(() => decodeRow(changed, key)).code).toBe("JOURNAL_CHECKSUM_MISMATCH");
  expect(decodeRow({ ...item, idx: { N: "0" }, cnt: { N: "1" } }, key)).toMatchObject({
    batch: { index: 0, lastIndex: 1 },
  });
});
