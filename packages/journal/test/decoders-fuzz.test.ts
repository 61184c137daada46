import { gzipSync } from "node:zlib";
import type { AttributeValue, Item } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MalformedBytes } from "../src/codecs/bytes.ts";
import { createCodecs } from "../src/codecs/create-codecs.ts";
import { JournalError } from "../src/errors/journal-error.ts";
import { encodePersistentMessage } from "../src/rows/persistent-message.ts";
import { decodeRow } from "../src/rows/row-format.ts";
import { decodeSnapshotRow, encodeSnapshotEnvelope } from "../src/rows/snapshot-row.ts";

const maxPayloadBytes = 1_000_000;
const codecs = createCodecs({ maxPayloadBytes });
const packing = createCodecs({ compression: { minBytes: 0 } });
const key = { persistenceId: "p", sequenceNr: 1 };
const runs = 1500;
const hex = (text: string) => Buffer.from(text, "hex");
const json = Buffer.from('{"a":[1,-0.5e3,"x\\u00fc",null,true,{"b":12345678901234567890}]}');
const cbor = hex("bf61619f0102c2410a636162630203ff6162a16163fb3ff199999999999a6164c48221196ab3ff");

/** One well-formed payload or more of each serializer: what is near them reaches furthest into a decoder. */
const samples: Readonly<Record<number, readonly Uint8Array[]>> = {
  0: [hex("")],
  1: [
    hex("aced0005740006612d30303031"),
    Buffer.from(
      "rO0ABXNyAA5qYXZhLmxhbmcuTG9uZzuL5JDMjyPfAgABSgAFdmFsdWV4cgAQamF2YS5sYW5nLk51bWJlcoaslR0LlOCLAgAAeHAAIAAAAAAAAQ==",
      "base64",
    ),
    hex("aced00057c0000000000000003e282ac"),
  ],
  4: [hex("0001ff")],
  18: [hex("0100000000002000")],
  19: [hex("2a000000")],
  20: [Buffer.from("ü€😀")],
  21: [hex("0908")],
  31: [json, gzipSync(json), Buffer.concat([hex("87d96df6"), hex("00000012"), hex("1f5d010000105d")])],
  32: [json],
  33: [cbor, gzipSync(cbor)],
  35: [hex("01")],
  742001: [json],
  742002: [packing.encode({ a: "x".repeat(300) }).bytes],
};

const message = encodePersistentMessage({
  payload: { serializerId: -77, manifest: "m", bytes: json },
  sequenceNr: 300,
  persistenceId: "p",
  akka23: true,
  sender: "akka://s",
  manifest: "v",
  writerUuid: "w",
  timestamp: 1_794_709_573_790,
  metadata: { serializerId: 20, manifest: "", bytes: json },
});

/** Bytes near one of the samples, and bytes near nothing. */
function near(origins: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const change = fc.record({ at: fc.nat(), drop: fc.nat(3), insert: fc.uint8Array({ maxLength: 4 }) });
  const changed = fc
    .tuple(fc.constantFrom(...origins), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([origin, changes]) =>
      changes.reduce((bytes, { at, drop, insert }) => {
        const start = bytes.length === 0 ? 0 : at % (bytes.length + 1);
        return Uint8Array.from([...bytes.subarray(0, start), ...insert, ...bytes.subarray(start + drop)]);
      }, Uint8Array.from(origin)),
    );
  return fc.oneof({ arbitrary: changed, weight: 4 }, fc.uint8Array({ maxLength: 64 }));
}

/** Whatever a decoder is given, it answers, with a value or with an error of this package. */
function answers(decode: () => unknown): void {
  try {
    decode();
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    // Any other cause would be a decoder's own fault.
    if (error.code === "JOURNAL_PAYLOAD_CORRUPT") expect(error.cause).toBeInstanceOf(MalformedBytes);
  }
}

describe("arbitrary bytes", () => {
  test.each(Object.keys(samples))("serializer %s returns a value or a typed error", (id) => {
    const serializerId = Number(id);
    const origins = samples[serializerId] ?? [];
    for (const bytes of origins) answers(() => codecs.decode({ serializerId, manifest: "", bytes }));
    fc.assert(
      fc.property(near(origins), (bytes) => {
        answers(() => codecs.decode({ serializerId, manifest: "", bytes }));
      }),
      { numRuns: runs },
    );
  });

  test("a row of pay or message does", () => {
    fc.assert(
      fc.property(near([message]), fc.constantFrom("pay", "payload"), (bytes, attribute) => {
        answers(() => decodeRow({ [attribute]: { B: bytes } }, key));
      }),
      { numRuns: runs },
    );
  });

  test("a row of event with any attributes does", () => {
    const values: fc.Arbitrary<AttributeValue> = fc.oneof(
      fc.record({
        N: fc.oneof(fc.integer().map(String), fc.double().map(String), fc.constant("1e999"), fc.string()),
      }),
      fc.record({ S: fc.string() }),
      fc.record({ B: fc.uint8Array({ maxLength: 8 }) }),
      fc.record({ SS: fc.array(fc.string()) }),
      fc.record({ BOOL: fc.boolean() }),
      fc.constant({ NULL: true }),
    );
    const names = [
      ...["persistence_id", "seq", "event", "writer_uuid", "ev_ser_id", "manifest", "ev_ser_manifest"],
      ...[
        "idx",
        "cnt",
        "wid",
        "ts",
        "tags",
        "meta",
        "meta_ser_id",
        "meta_ser_manifest",
        "crc",
        "sum",
        "staged",
      ],
      ...["tomb", "ttl", "pay", "payload", "deleted", "confirmations", "pay_data", "ser_id", "ser_manifest"],
    ];
    const items: fc.Arbitrary<Item> = fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 12 });
    fc.assert(
      fc.property(items, (item) => {
        answers(() => decodeRow(item, key));
        answers(() => decodeRow({ event: { B: json }, ev_ser_id: { N: "20" }, ...item }, key));
        answers(() => decodeSnapshotRow(item, key));
      }),
      { numRuns: runs },
    );
  });

  test("a snapshot does", () => {
    const envelopes = [
      encodeSnapshotEnvelope({ serializerId: 20, manifest: "m", bytes: json }),
      Buffer.concat([hex("0d000000"), hex("aced0005740006612d30303031"), json]),
    ];
    fc.assert(
      fc.property(near(envelopes), (bytes) => {
        answers(() => decodeSnapshotRow({ pay: { B: bytes }, ts: { N: "1" } }, key));
      }),
      { numRuns: runs },
    );
  });
});

describe("missing lengths allocate no memory", () => {
  const before = () => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
  test.each<[string, number, Uint8Array]>([
    ["a CBOR list of 2^56 elements", 33, hex("9b00ffffffffffffff")],
    ["CBOR lists within lists", 33, hex("9a000fffff".repeat(400))],
    ["CBOR text of 2^64 bytes", 33, hex("7bffffffffffffffff")],
    ["an LZ4 block of 2^32 bytes", 31, hex("87d96df6ffffffff00")],
    ["LZ4 that says it has 1 MB", 31, hex("87d96df6000f424000")],
    ["Java text of 2^63 bytes", 1, hex("aced00057c7fffffffffffffff")],
    ["a gzip bomb", 31, gzipSync(Buffer.alloc(100_000_000))],
  ])("%s", (_name, serializerId, bytes) => {
    const base = before();
    answers(() => codecs.decode({ serializerId, manifest: "", bytes }));
    expect(before() - base).toBeLessThan(20_000_000);
  });
});
