import { describe, expect, test } from "vitest";
import { journalErrorOf } from "../../test/journal-error-of.ts";
import type { SyncCodec } from "./codec.ts";
import type { CodecsOptions } from "./codecs-options.ts";
import { createCodecs } from "./create-codecs.ts";

const text: SyncCodec = {
  id: 9001,
  encode: (payload, manifest) => Buffer.from(`${manifest}:${String(payload)}`),
  decode: (bytes, manifest) => `${manifest}>${Buffer.from(bytes).toString()}`,
};

describe("codecs of your own", () => {
  test("write and read payloads of their id, negative ones too", () => {
    const codecs = createCodecs({ codecs: [text, { ...text, id: -77 }] });
    for (const serializerId of [9001, -77]) {
      const encoded = codecs.encode("x", { serializerId, manifest: "v1" });
      expect(encoded).toMatchObject({ serializerId, manifest: "v1" });
      expect(codecs.decode(encoded)).toBe("v1>v1:x");
    }
  });

  test("may be for one manifest only", () => {
    const codecs = createCodecs({ codecs: [{ id: 9001, manifest: "v2", decode: () => "second" }, text] });
    const bytes = Buffer.from("x");
    expect(codecs.decode({ serializerId: 9001, manifest: "v2", bytes })).toBe("second");
    expect(codecs.decode({ serializerId: 9001, manifest: "v1", bytes })).toBe("v1>x");
    const only = createCodecs({ codecs: [{ id: 9001, manifest: "v2", decode: () => "second" }] });
    const other = { serializerId: 9001, manifest: "v1", bytes };
    expect(only.decode(other)).toBe(other);
  });

  test("come before the built-in ones", () => {
    const codecs = createCodecs({ codecs: [{ id: 1, decode: () => "mine" }] });
    expect(codecs.decode({ serializerId: 1, manifest: "", bytes: Buffer.from("rO0ABXA=", "base64") })).toBe(
      "mine",
    );
  });

  test("are chosen by you, by `choose`, or by the payload's type, in this order", () => {
    const codecs = createCodecs({
      codecs: [text, { ...text, id: 9002 }],
      choose: (payload) => (payload === "mine" ? { serializerId: 9001, manifest: "m" } : undefined),
    });
    expect(codecs.encode("mine")).toMatchObject({ serializerId: 9001, manifest: "m" });
    expect(codecs.encode("mine", { manifest: "n" })).toMatchObject({ serializerId: 9001, manifest: "n" });
    expect(codecs.encode("mine", { serializerId: 9002 })).toMatchObject({ serializerId: 9002, manifest: "" });
    expect(codecs.encode("other")).toMatchObject({ serializerId: 20, manifest: "" });
    expect(codecs.encode("other", { manifest: "n" })).toMatchObject({ serializerId: 742_001, manifest: "n" });
  });

  test("a choice that fails rejects the payload, with its cause", () => {
    const cause = new TypeError("no such type");
    const codecs = createCodecs({
      choose: () => {
        throw cause;
      },
    });
    const refused = journalErrorOf(() => codecs.encode("text"));
    expect(refused).toMatchObject({ code: "JOURNAL_PAYLOAD_REFUSED", details: { path: "payload" }, cause });
  });

  test("that fail do so with a typed error and its cause", () => {
    const cause = new Error("no");
    const failing: SyncCodec = {
      id: 9001,
      encode: () => {
        throw cause;
      },
      decode: () => {
        throw cause;
      },
    };
    const codecs = createCodecs({ codecs: [failing, { ...text, id: 2, encode: () => "text" as never }] });
    const written = journalErrorOf(() => codecs.encode(1, { serializerId: 9001 }));
    expect(written).toMatchObject({ code: "JOURNAL_PAYLOAD_REFUSED", cause });
    const bytes = new Uint8Array();
    const read = journalErrorOf(() => codecs.decode({ serializerId: 9001, manifest: "v", bytes }));
    expect(read).toMatchObject({ code: "JOURNAL_PAYLOAD_CORRUPT", cause });
    expect(journalErrorOf(() => codecs.encode(1, { serializerId: 2 }))).toMatchObject({
      code: "JOURNAL_PAYLOAD_REFUSED",
      details: { serializerId: 2 },
    });
  });

  test.each<[string, CodecsOptions]>([
    ["an unknown option", { codec: [] } as CodecsOptions],
    ["two codecs for one id", { codecs: [text, text] }],
    ["an id of ours", { codecs: [{ ...text, id: 742_002 }] }],
    ["an id of more than 32 bits", { codecs: [{ ...text, id: 2 ** 31 }] }],
    ["a codec that cannot read", { codecs: [{ id: 9001 } as SyncCodec] }],
    ["no list", { codecs: {} as never }],
    ["an unknown way", { undefinedProperties: "drop" as never }],
    ["no function", { choose: 5 as never }],
    ["no limit", { maxPayloadBytes: 0 }],
    ["a level beyond 9", { compression: { level: 10 } }],
    ["an unknown option of compression", { compression: { min: 1 } as never }],
    ["no options of compression", { compression: true as never }],
  ])("%s is rejected", (_name, options) => {
    expect(journalErrorOf(() => createCodecs(options)).code).toBe("JOURNAL_OPTION_INVALID");
  });
});

describe("payloads of an unregistered serializer", () => {
  const codecs = createCodecs();
  const unknown = { serializerId: 4711, manifest: "com.acme.X", bytes: Uint8Array.of(1, 2, 3) };

  test("are read as they are, and written back as they are", () => {
    expect(codecs.decode(unknown)).toBe(unknown);
    expect(codecs.encode({ ...unknown })).toEqual(unknown);
  });

  test("cannot be written from anything else", () => {
    const error = journalErrorOf(() => codecs.encode("x", { serializerId: 4711 }));
    expect(error).toMatchObject({
      code: "JOURNAL_SERIALIZER_UNKNOWN",
      details: { serializerId: 4711, manifest: "" },
    });
  });
});

describe("compression", () => {
  const options: CodecsOptions<SyncCodec> = { codecs: [text], compression: {} };
  const codecs = createCodecs(options);
  const long = { lines: Array.from({ length: 200 }, (_, line) => `line ${line}`) };

  test("packs large payloads under our own id, with serializer and manifest inside", () => {
    const encoded = codecs.encode(long, { manifest: "order/ü" });
    expect(encoded).toMatchObject({ serializerId: 742_002, manifest: "" });
    expect(encoded.bytes.length).toBeLessThan(1000);
    expect(codecs.decode(encoded)).toEqual(long);
    expect(createCodecs().decode(encoded)).toEqual(long);
    expect(codecs.unpack(encoded)).toMatchObject({ serializerId: 742_001, manifest: "order/ü" });
    const own = codecs.encode("x".repeat(5000), { serializerId: 9001, manifest: "v" });
    expect(own.serializerId).toBe(742_002);
    expect(codecs.decode(own)).toBe(`v>v:${"x".repeat(5000)}`);
  });

  test("leaves small payloads, and those that do not shrink", () => {
    expect(codecs.encode("x".repeat(1023)).serializerId).toBe(20);
    expect(codecs.encode("x".repeat(1024)).serializerId).toBe(742_002);
    const noise = Uint8Array.from({ length: 2000 }, (_, at) => (at * at * 2_654_435_761) >>> 13);
    expect(codecs.encode(noise).serializerId).toBe(4);
    const eager = createCodecs({ compression: { minBytes: 0, level: 9 } });
    expect(eager.encode("x".repeat(60)).serializerId).toBe(742_002);
  });

  test("an unknown payload stays unknown, without its packing", () => {
    const bytes = new Uint8Array(5000);
    const foreign = createCodecs({ codecs: [{ ...text, id: 5, encode: () => bytes }], compression: {} });
    const encoded = foreign.encode("x", { serializerId: 5, manifest: "m" });
    expect(encoded.serializerId).toBe(742_002);
    expect(createCodecs().decode(encoded)).toEqual({ serializerId: 5, manifest: "m", bytes });
    expect(codecs.unpack({ serializerId: 5, manifest: "m", bytes })).toEqual({
      serializerId: 5,
      manifest: "m",
      bytes,
    });
  });

  test("one that grows beyond the limit, or beyond its declared size, is rejected", () => {
    const encoded = codecs.encode("x".repeat(5000));
    const small = createCodecs({ maxPayloadBytes: 4999 });
    expect(journalErrorOf(() => small.decode(encoded)).code).toBe("JOURNAL_PAYLOAD_TOO_LARGE");
    const lying = Buffer.from(encoded.bytes);
    lying.writeUInt32LE(100, 1);
    expect(journalErrorOf(() => codecs.decode({ ...encoded, bytes: lying })).code).toBe(
      "JOURNAL_PAYLOAD_TOO_LARGE",
    );
    lying.writeUInt32LE(5001, 1);
    expect(journalErrorOf(() => codecs.decode({ ...encoded, bytes: lying })).code).toBe(
      "JOURNAL_PAYLOAD_CORRUPT",
    );
  });

  test("one packed twice, or cut, is rejected; one packed in a later way is left", () => {
    const encoded = codecs.encode("x".repeat(5000));
    const twice = Buffer.from(encoded.bytes);
    twice.writeInt32LE(742_002, 5);
    expect(journalErrorOf(() => codecs.decode({ ...encoded, bytes: twice })).code).toBe(
      "JOURNAL_PAYLOAD_CORRUPT",
    );
    for (const length of [0, 10, 11, 20]) {
      const cut = { ...encoded, bytes: encoded.bytes.subarray(0, length) };
      expect(journalErrorOf(() => codecs.decode(cut)).code).toBe("JOURNAL_PAYLOAD_CORRUPT");
    }
    const later = { ...encoded, bytes: Uint8Array.from(encoded.bytes).fill(2, 0, 1) };
    expect(codecs.decode(later)).toBe(later);
  });
});
