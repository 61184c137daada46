import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { journalErrorOf } from "../../test/journal-error-of.ts";
import { createCodecs } from "./create-codecs.ts";

const codecs = createCodecs();
const manifest = "com.acme.OrderPlaced#2";
const json = Buffer.from('{"id":9007199254740993,"lines":[{"price":1.50}]}');
const read = (serializerId: number, bytes: Uint8Array) => codecs.decode({ serializerId, manifest, bytes });
const lz4 = (block: Buffer, length: number) => {
  const header = Buffer.from("87d96df600000000", "hex");
  header.writeUInt32BE(length, 4);
  return Buffer.concat([header, block]);
};

describe("Jackson JSON", () => {
  const value = { id: 9_007_199_254_740_993n, lines: [{ price: 1.5 }] };

  test("is read, whole numbers exactly", () => {
    expect(read(31, json)).toEqual(value);
    expect(read(32, json)).toEqual(value);
    const numbers =
      "[9007199254740991,-9007199254740992,123456789012345678901234567890,1e20,1.0E400, 0.12345678901234567890]";
    expect(read(31, Buffer.from(numbers))).toEqual([
      9_007_199_254_740_991,
      -9_007_199_254_740_992n,
      123_456_789_012_345_678_901_234_567_890n,
      1e20,
      Number.POSITIVE_INFINITY,
      0.123_456_789_012_345_68,
    ]);
  });

  test("digits in strings stay strings, whatever is around them", () => {
    const text =
      ' { "a\\"9007199254740993" : "\\\\" , "__proto__":{}, "n" :[ 12345678901234567890 ,[ ],{ } , null,true ] ,"t":"9007199254740993\\u0041"}\n';
    const object = read(31, Buffer.from(text)) as Record<string, unknown>;
    expect(Object.keys(object)).toEqual(['a"9007199254740993', "__proto__", "n", "t"]);
    expect(object['a"9007199254740993']).toBe("\\");
    expect(object["n"]).toEqual([12_345_678_901_234_567_890n, [], {}, null, true]);
    expect(object["t"]).toBe("9007199254740993A");
  });

  test("is unpacked where Akka packed it", () => {
    expect(read(31, gzipSync(json))).toEqual(value);
    expect(read(32, gzipSync(json))).toEqual(value);
    const literal = Buffer.concat([Buffer.from([0xf0, json.length - 15]), json]);
    expect(read(31, lz4(literal, json.length))).toEqual(value);
  });

  test("is written with the manifest that names the class for Akka", () => {
    const encoded = codecs.encode({ a: 1, b: [2n ** 60n, 1e20, -0, "ü"] }, { serializerId: 31, manifest });
    expect(encoded).toMatchObject({ serializerId: 31, manifest });
    expect(Buffer.from(encoded.bytes).toString()).toBe('{"a":1,"b":[1152921504606846976,1.0e+20,-0.0,"ü"]}');
    expect(codecs.decode(encoded)).toStrictEqual({ a: 1, b: [2n ** 60n, 1e20, -0, "ü"] });
    expect(journalErrorOf(() => codecs.encode({}, { serializerId: 31 }))).toMatchObject({
      code: "JOURNAL_PAYLOAD_REFUSED",
      details: { serializerId: 31 },
    });
    expect(
      journalErrorOf(() => codecs.encode({ at: new Date(0) }, { serializerId: 31, manifest })),
    ).toMatchObject({ code: "JOURNAL_PAYLOAD_REFUSED", details: { path: "payload.at" } });
  });

  test.each([32, 33])("serializer %i is only read", (serializerId) => {
    const error = journalErrorOf(() => codecs.encode({}, { serializerId, manifest }));
    expect(error).toMatchObject({ code: "JOURNAL_SERIALIZER_UNKNOWN", details: { serializerId, manifest } });
  });
});

describe("Jackson CBOR", () => {
  const cbor = Buffer.from("bf626964" + "1b0020000000000001" + "656c696e6573" + "80" + "ff", "hex");

  test("is read, packed or not", () => {
    const value = { id: 9_007_199_254_740_993n, lines: [] };
    expect(read(33, cbor)).toEqual(value);
    expect(read(33, gzipSync(cbor))).toEqual(value);
    const literal = Buffer.concat([Buffer.from([0xf0, cbor.length - 15]), cbor]);
    expect(read(33, lz4(literal, cbor.length))).toEqual(value);
  });

  test("leaves unknown data as bytes", () => {
    const unknown = { serializerId: 33, manifest, bytes: Buffer.from("d81900", "hex") };
    expect(codecs.decode(unknown)).toBe(unknown);
  });
});

describe("packed payloads", () => {
  const small = createCodecs({ maxPayloadBytes: 1000 });
  const bomb = gzipSync(Buffer.alloc(10_000_000));

  test("that grow beyond the limit are rejected before they do", () => {
    for (const bytes of [
      bomb,
      lz4(Buffer.from("00", "hex"), 1001),
      lz4(Buffer.from("00", "hex"), 2 ** 32 - 1),
    ]) {
      const error = journalErrorOf(() => small.decode({ serializerId: 31, manifest, bytes }));
      expect(error).toMatchObject({
        code: "JOURNAL_PAYLOAD_TOO_LARGE",
        kind: "limit",
        details: { serializerId: 31, maximum: 1000 },
      });
    }
  });

  test.each([
    ["gzip cut short", gzipSync(json).subarray(0, 20)],
    ["LZ4 with too great a length", lz4(Buffer.from("10", "hex"), 60_000_000)],
    ["LZ4 that is shorter than declared", lz4(Buffer.from("1061", "hex"), 2)],
    ["LZ4 that is longer than it says", lz4(Buffer.from("206161", "hex"), 1)],
    ["LZ4 that refers to nothing", lz4(Buffer.from("1061020000", "hex"), 5)],
    ["LZ4 without a distance", lz4(Buffer.from("1061000000", "hex"), 5)],
    ["LZ4 cut short", lz4(Buffer.from("f0", "hex"), 20)],
    ["no JSON", Buffer.from("{")],
    ["nothing", Buffer.alloc(0)],
  ])("%s is rejected", (_name, bytes) => {
    expect(journalErrorOf(() => read(31, bytes)).code).toBe("JOURNAL_PAYLOAD_CORRUPT");
  });
});
