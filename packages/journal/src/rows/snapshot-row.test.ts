import { crc32 } from "node:zlib";
import type { Item } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { comparable } from "../../test/comparable.ts";
import { journalErrorOf } from "../../test/journal-error-of.ts";
import { MalformedBytes } from "../codecs/bytes.ts";
import { createCodecs } from "../codecs/create-codecs.ts";
import {
  decodeSnapshotEnvelope,
  decodeSnapshotRow,
  encodeSnapshotEnvelope,
  encodeSnapshotRow,
  type SnapshotRow,
} from "./snapshot-row.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

describe("Akka's envelope of a snapshot", () => {
  test.each([
    ["a string of Akka 2.6", "04000000 14000000 732d31", 20, "", "732d31"],
    ["a string of Akka 2.5", "04000000 01000000 aced0005 740003 732d31", 1, "", "aced0005740003732d31"],
    ["a manifest", "05000000 9a020000 41 0102", 666, "A", "0102"],
    ["a negative id", "04000000 b3ffffff", -77, "", ""],
  ])("with %s is read and written to the byte", (_name, envelope, serializerId, manifest, bytes) => {
    const snapshot = { serializerId, manifest, bytes: hex(bytes) };
    expect(comparable(decodeSnapshotEnvelope(hex(envelope)))).toEqual(comparable(snapshot));
    expect(Buffer.from(encodeSnapshotEnvelope(snapshot)).toString("hex")).toBe(hex(envelope).toString("hex"));
  });

  test("accepts ids that Akka itself mistakes for a Java header", () => {
    // Akka asks whether all bits of 0xEDAC are set, instead of whether the low half is 0xEDAC.
    for (const serializerId of [0xffac | 0x4200, 0xefbc, 0x1_efac, -1]) {
      const snapshot = { serializerId, manifest: "m", bytes: Uint8Array.of(1) };
      expect(decodeSnapshotEnvelope(encodeSnapshotEnvelope(snapshot))).toEqual(snapshot);
    }
  });

  const javaHeader = {
    plain:
      "rO0ABXNyAC1ha2thLnBlcnNpc3RlbmNlLnNlcmlhbGl6YXRpb24uU25hcHNob3RIZWFkZXIAAAAAAAAAAQIAAkkADHNlcmlhbGl6ZXJJZEwACG1hbmlmZXN0dAAOTHNjYWxhL09wdGlvbjt4cAAAABRzcgALc2NhbGEuTm9uZSRGUCT2U8qUrAIAAHhyAAxzY2FsYS5PcHRpb27+aTf92w5mdAIAAHhw",
    withManifest:
      "rO0ABXNyAC1ha2thLnBlcnNpc3RlbmNlLnNlcmlhbGl6YXRpb24uU25hcHNob3RIZWFkZXIAAAAAAAAAAQIAAkkADHNlcmlhbGl6ZXJJZEwACG1hbmlmZXN0dAAOTHNjYWxhL09wdGlvbjt4cAAAIytzcgAKc2NhbGEuU29tZREi8mleoYt0AgABTAABeHQAEkxqYXZhL2xhbmcvT2JqZWN0O3hyAAxzY2FsYS5PcHRpb27+aTf92w5mdAIAAHhwdAASZml4dHVyZS5Eb2MkQ2xhc3NN",
  };
  const envelopeOf23 = (header: string, payload: string) => {
    const bytes = Buffer.from(header, "base64");
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return Buffer.concat([length, bytes, Buffer.from(payload)]);
  };

  test("of Akka 2.3 has a Java object as its header", () => {
    const plain = decodeSnapshotEnvelope(envelopeOf23(javaHeader.plain, "s-1"));
    expect(comparable(plain)).toEqual(
      comparable({ serializerId: 20, manifest: "", bytes: Buffer.from("s-1") }),
    );
    const named = decodeSnapshotEnvelope(envelopeOf23(javaHeader.withManifest, "{}"));
    expect(named).toMatchObject({ serializerId: 9003, manifest: "fixture.Doc$ClassM" });
  });

  test("whose Java header cannot be read is an unknown payload", () => {
    const envelope = envelopeOf23(Buffer.from("aced0005740001", "hex").toString("base64"), "s-1");
    const payload = decodeSnapshotEnvelope(envelope);
    expect(payload).toMatchObject({ serializerId: 8, manifest: "" });
    expect(createCodecs().decode(payload)).toBe(payload);
  });

  test.each(["", "0400", "04000000 1400", "03000000 140000", "ffffffff 14000000"])("rejects %j", (bytes) => {
    expect(() => decodeSnapshotEnvelope(hex(bytes))).toThrow(MalformedBytes);
  });
});

describe("a snapshot's item", () => {
  const key = { persistenceId: "p", sequenceNr: 15 };
  const row: SnapshotRow = {
    ...key,
    timestamp: 1_794_709_573_790,
    payload: { serializerId: 9001, manifest: "v2", bytes: Buffer.from("{}") },
  };

  test("of either format is read back unchanged", () => {
    const rows = fc.record({
      timestamp: fc.maxSafeNat(),
      payload: fc.record({
        serializerId: fc.integer().filter((id) => (id & 0xffff) !== 0xedac),
        manifest: fc.string({ unit: "grapheme" }),
        bytes: fc.uint8Array(),
      }),
      writeId: fc.string({ minLength: 1 }),
    });
    fc.assert(
      fc.property(rows, fc.constantFrom("pay", "pay_data"), (part, format) => {
        const written = { ...key, ...part };
        expect(comparable(decodeSnapshotRow(encodeSnapshotRow(written, format), key))).toEqual(
          comparable(written),
        );
      }),
    );
  });

  test("whose bytes changed is rejected", () => {
    const item = encodeSnapshotRow({ ...row, writeId: "w" }, "pay_data");
    const changes: Item[] = [{ pay_data: { B: Buffer.from("[]") } }, { ser_id: { N: "9002" } }];
    for (const change of changes) {
      const error = journalErrorOf(() => decodeSnapshotRow({ ...item, ...change }, key));
      expect(error).toMatchObject({ code: "JOURNAL_CHECKSUM_MISMATCH", details: key });
    }
  });

  test.each(["pay", "pay_data"] as const)(
    "of format %s whose other attributes changed is rejected",
    (format) => {
      const item = encodeSnapshotRow({ ...row, writeId: "w", expiresAt: 1_800_000_000_000 }, format);
      const changes: Item[] = [
        { expires: { N: "1800000000001" } },
        { expires: { N: "0" } },
        { ts: { N: "1794709573791" } },
        { wid: { S: "x" } },
      ];
      for (const change of changes) {
        const error = journalErrorOf(() => decodeSnapshotRow({ ...item, ...change }, key));
        expect(error).toMatchObject({ code: "JOURNAL_CHECKSUM_MISMATCH", details: key });
      }
      const { expires: _, ...forGood } = item;
      expect(journalErrorOf(() => decodeSnapshotRow(forGood, key)).code).toBe("JOURNAL_CHECKSUM_MISMATCH");
      const added = { ...encodeSnapshotRow({ ...row, writeId: "w" }, format), expires: { N: "1" } };
      expect(journalErrorOf(() => decodeSnapshotRow(added, key)).code).toBe("JOURNAL_CHECKSUM_MISMATCH");
    },
  );

  test("of version 0.2 is compared with the checksum of that version", () => {
    const { sum: _, ...item } = encodeSnapshotRow({ ...row, writeId: "w", expiresAt: 7 }, "pay_data");
    // Written out: it does not use what it checks.
    const sum = crc32("{}", crc32("9001:2:2:v2"));
    const old = { ...item, crc: { B: Uint8Array.of(sum >>> 24, sum >>> 16, sum >>> 8, sum) } };
    expect(decodeSnapshotRow(old, key)).toMatchObject({ expiresAt: 7, writeId: "w" });
    const changed = { ...old, pay_data: { B: Buffer.from("[]") } };
    expect(journalErrorOf(() => decodeSnapshotRow(changed, key)).code).toBe("JOURNAL_CHECKSUM_MISMATCH");
  });

  test.each([
    ["ts", { pay_data: { B: new Uint8Array() }, ser_id: { N: "20" } }],
    ["ser_id", { pay_data: { B: new Uint8Array() }, ts: { N: "1" } }],
    ["pay", { pay: { B: new Uint8Array() }, ts: { N: "1" } }],
  ])("with a wrong %s is rejected with its place", (attribute, item) => {
    const error = journalErrorOf(() => decodeSnapshotRow(item, key));
    expect(error).toMatchObject({ code: "JOURNAL_ROW_CORRUPT", details: { ...key, attribute } });
  });

  test("without a snapshot is none", () => {
    expect(decodeSnapshotRow({ ts: { N: "1" } }, key)).toBeUndefined();
  });
});
