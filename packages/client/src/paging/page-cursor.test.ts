import type { Key, QueryInput } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isClientError } from "../base/client-error.ts";
import { decodePageCursor, encodePageCursor } from "./page-cursor.ts";

const query: QueryInput = {
  TableName: "carts",
  KeyConditionExpression: "pk = :pk",
  ExpressionAttributeValues: { ":pk": { S: "a" }, ":b": { B: Uint8Array.of(1, 2) } },
};
const key: Key = { pk: { S: "a" }, sk: { N: "12" } };

function failureOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("a page cursor", () => {
  test("returns the key that it was created from", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary" }).map((S) => ({ S })),
      fc.integer().map((N) => ({ N: String(N) })),
      fc.uint8Array().map((bytes) => ({ B: new Uint8Array(bytes) })),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value, { maxKeys: 4 }), (any) => {
        const cursor = encodePageCursor(query, any as Key);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodePageCursor(query, cursor)).toEqual({ ...any });
      }),
    );
  });

  test("a member that is undefined is one that is not there", () => {
    const cursor = encodePageCursor({ ...query, IndexName: undefined, FilterExpression: undefined }, key);
    expect(cursor).toBe(encodePageCursor(query, key));
    expect(decodePageCursor({ ...query, ProjectionExpression: undefined }, cursor)).toEqual(key);
  });

  test("binaries may be Buffers", () => {
    const cursor = encodePageCursor(query, { pk: { B: Buffer.from("abc") } });
    expect(decodePageCursor(query, cursor)).toEqual({ pk: { B: new Uint8Array(Buffer.from("abc")) } });
  });

  test("is good for the same query with other pages", () => {
    const cursor = encodePageCursor({ ...query, Limit: 10, ExclusiveStartKey: key }, key);
    const same: QueryInput = {
      Limit: 99,
      ReturnConsumedCapacity: "TOTAL",
      ExpressionAttributeValues: { ":b": { B: Buffer.from([1, 2]) }, ":pk": { S: "a" } },
      KeyConditionExpression: "pk = :pk",
      TableName: "carts",
    };
    expect(decodePageCursor(same, cursor)).toEqual(key);
  });

  test("is rejected for any other query", () => {
    const cursor = encodePageCursor(query, key);
    const others: QueryInput[] = [
      { ...query, TableName: "other" },
      { ...query, IndexName: "by-time" },
      { ...query, ScanIndexForward: false },
      { ...query, FilterExpression: "v > :b" },
      { ...query, ExpressionAttributeValues: { ":pk": { S: "b" }, ":b": { B: Uint8Array.of(1, 2) } } },
      { ...query, ExpressionAttributeValues: { ":pk": { S: "a" }, ":b": { B: Uint8Array.of(1, 3) } } },
    ];
    for (const other of others) {
      const failure = failureOf(() => decodePageCursor(other, cursor));
      expect(isClientError(failure, "CLIENT_OPTION_INVALID") && failure.details.option).toBe("cursor");
    }
  });

  test("decodes any cursor to a key or a typed error", () => {
    const cursor = encodePageCursor(query, key);
    const damaged = fc
      .tuple(fc.nat(cursor.length - 1), fc.constantFrom("A", "z", "-", "!", "", "ä"))
      .map(([at, letter]) => cursor.slice(0, at) + letter + cursor.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), damaged), (text) => {
        fc.pre(text !== cursor);
        const failure = failureOf(() => {
          const decoded = decodePageCursor(query, text);
          // Damage to the key alone can leave another key: it is not signed.
          for (const value of Object.values(decoded)) expect(Object.keys(value)).toHaveLength(1);
        });
        expect(failure === undefined || isClientError(failure, "CLIENT_OPTION_INVALID")).toBe(true);
      }),
      { numRuns: 1000 },
    );
    for (const text of ["", "x".repeat(100_000), `${cursor}=`, `${cursor} `])
      expect(failureOf(() => decodePageCursor(query, text))).toMatchObject({ code: "CLIENT_OPTION_INVALID" });
  });

  test("a key of no key type, or of two, is damage", () => {
    for (const wrong of [
      { pk: { M: {} } },
      { pk: { S: "a", N: "1" } },
      { pk: { S: 1 } },
      { pk: null },
      [1],
      7,
    ])
      expect(failureOf(() => decodePageCursor(query, encodePageCursor(query, wrong as never)))).toMatchObject(
        {
          code: "CLIENT_OPTION_INVALID",
        },
      );
    const polluting = encodePageCursor(query, JSON.parse('{"__proto__":{"S":"x"}}'));
    expect(Object.getPrototypeOf(decodePageCursor(query, polluting))).toBe(Object.prototype);
  });
});
