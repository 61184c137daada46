import { isDeepStrictEqual } from "node:util";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { journalErrorOf } from "../../test/journal-error-of.ts";
import { createCodecs } from "./create-codecs.ts";
import { ownSerializers } from "./serializer-ids.ts";

const codecs = createCodecs();
const text = (payload: unknown) => Buffer.from(codecs.encode(payload).bytes).toString();
const refused = (payload: unknown) => {
  const { code, details, message } = journalErrorOf(() => codecs.encode(payload));
  expect(code).toBe("JOURNAL_PAYLOAD_REFUSED");
  expect(details).toMatchObject({ serializerId: ownSerializers.json });
  return message;
};

class Order {
  readonly total = 5;
}

describe("plain data", () => {
  test("is JSON text under our own id, with any manifest", () => {
    const encoded = codecs.encode({ a: [1, "ü", null] }, { manifest: "order/v2" });
    expect(encoded).toMatchObject({ serializerId: 742_001, manifest: "order/v2" });
    expect(text({ a: [1, "ü", null] })).toBe('{"a":[1,"ü",null]}');
    expect(codecs.decode(encoded)).toEqual({ a: [1, "ü", null] });
  });

  test("is returned unchanged, negative zeros, halves of surrogates and odd names too", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        expect(isDeepStrictEqual(codecs.decode(codecs.encode({ value })), { value })).toBe(true);
      }),
    );
    const odd = JSON.parse('{"__proto__": [-0, 1e21, 5e-324], "": "\\ud83d", "constructor": {}}') as unknown;
    expect(isDeepStrictEqual(codecs.decode(codecs.encode(odd)), odd)).toBe(true);
    expect(text([-0, 0, 1e21])).toBe("[-0,0,1e+21]");
  });

  test("may be made without a prototype, or in another realm", () => {
    expect(text(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
    expect(text(runInNewContext("({ a: [{}] })"))).toBe('{"a":[{}]}');
  });

  test.each([
    [undefined, "payload is undefined"],
    [{ a: undefined }, "payload.a is undefined"],
    [{ a: [1, undefined] }, "payload.a[1] is undefined"],
    [new Array(2), "payload[0] is undefined"],
    [{ a: { "odd name": Number.NaN } }, 'payload.a["odd name"] is NaN'],
    [[Number.NEGATIVE_INFINITY], "payload[0] is -Infinity"],
    [{ id: 5n }, "payload.id is a bigint"],
    [{ at: new Date(0) }, "payload.at is a Date"],
    [{ raw: Uint8Array.of(1) }, "payload.raw is a Uint8Array"],
    [new Map([["a", 1]]), "payload is a Map"],
    [{ orders: [new Order()] }, "payload.orders[0] is a Order"],
    [{ f: () => 1 }, "payload.f is a function"],
    [{ s: Symbol("s") }, "payload.s is a symbol"],
    [{ [Symbol("s")]: 1 }, "payload has a symbol as a property"],
    [{ a: { toJSON: () => 1 } }, "payload.a is a Object, not plain data"],
    [Object(1), "payload is a Number"],
  ])("rejects %s and says where and why", (payload, words) => {
    expect(refused(payload)).toContain(words);
  });

  test("rejects what is part of itself, or too deep", () => {
    const loop: { next?: unknown } = {};
    loop.next = [loop];
    expect(refused(loop)).toContain("payload.next[0].next[0]");
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(refused(deep)).toContain("deeper than 500 levels");
  });

  test("leaves out undefined properties on request, but not elements", () => {
    const lenient = createCodecs({ undefinedProperties: "omit" });
    const encoded = lenient.encode({ a: undefined, b: { c: undefined, d: -0 } });
    expect(Buffer.from(encoded.bytes).toString()).toBe('{"b":{"d":-0}}');
    expect(journalErrorOf(() => lenient.encode([undefined])).code).toBe("JOURNAL_PAYLOAD_REFUSED");
    expect(journalErrorOf(() => lenient.encode(undefined)).code).toBe("JOURNAL_PAYLOAD_REFUSED");
  });

  test.each(["", "{", "nul", "\xff"])("does not read %j", (bytes) => {
    const encoded = { serializerId: ownSerializers.json, manifest: "", bytes: Buffer.from(bytes, "latin1") };
    expect(journalErrorOf(() => codecs.decode(encoded)).code).toBe("JOURNAL_PAYLOAD_CORRUPT");
  });
});
