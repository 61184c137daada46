import type { AttributeValue, OperationName } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasLongStrings } from "./byte-json.ts";
import { decodeOutput } from "./decode-output.ts";
import { encodeInput } from "./encode-input.ts";

const encoded = (input: object) => encodeInput(input).toString();

const names = fc.oneof(
  fc.string(),
  fc.constantFrom("B", "BS", "__proto__", "constructor", "toJSON", "M", "Keys"),
);
const bytes = fc.uint8Array({ maxLength: 20 });

const { value: values } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.record({ S: fc.string({ unit: "binary" }) }),
    fc.record({ N: fc.constantFrom("0", "-0", "1e126", "123456789012345678901234567890.12345678") }),
    fc.record({ B: bytes }),
    fc.record({ SS: fc.array(fc.string(), { minLength: 1, maxLength: 3 }) }),
    fc.record({ BS: fc.array(bytes, { minLength: 1, maxLength: 3 }) }),
    fc.record({ NULL: fc.constant(true) }),
    fc.record({ BOOL: fc.boolean() }),
    fc.record({ L: fc.array(tie("value"), { maxLength: 3 }) }),
    fc.record({ M: fc.dictionary(names, tie("value"), { maxKeys: 4, noNullPrototype: true }) }),
  ) as fc.Arbitrary<AttributeValue>,
}));

const items = fc.dictionary(names, values, { maxKeys: 5, noNullPrototype: true });

/** What the server sees and sends back: JSON in between. */
const thereAndBack = (item: object) => decoded("GetItem", encoded({ Item: item })) as { Item: object };

const decoded = (operation: OperationName, text: string) => decodeOutput(operation, Buffer.from(text));

/** Bytes as plain data and back, by JSON alone. */
const plain = (_name: string, value: unknown) =>
  value instanceof Uint8Array ? { bytes: Array.from(value) } : value;
const bytesAgain = (_name: string, value: unknown) =>
  Array.isArray((value as { bytes?: unknown } | null)?.bytes)
    ? Uint8Array.from((value as { bytes: number[] }).bytes)
    : value;

describe("the JSON of requests and answers", () => {
  test("returns any item unchanged, and sending does not modify it", () => {
    fc.assert(
      fc.property(items, (item) => {
        const before = structuredClone(item);
        expect(thereAndBack(item).Item).toEqual(item);
        expect(item).toEqual(before);
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  test("an attribute called __proto__ is data like any other", () => {
    for (const inner of ['{"S":"x"}', '{"B":"AQID"}', '{"M":{"__proto__":{"B":"AQID"}}}']) {
      const text = `{"Item":{"__proto__":${inner},"a":{"B":"AQ=="}}}`;
      const output = decoded("GetItem", text) as { Item: object };
      expect(Object.keys(output.Item)).toEqual(["__proto__", "a"]);
      expect(Object.getPrototypeOf(output.Item)).toBe(Object.prototype);
      expect(encoded(output)).toBe(text);
    }
  });

  test("bytes become base64 and members that are undefined go", () => {
    const shared = new Uint8Array([0, 1, 2, 255]).subarray(1);
    const input = {
      TableName: "t",
      Item: { b: { B: shared }, s: { BS: [shared, new Uint8Array()] } },
      Expected: undefined,
    };
    expect(encoded(input)).toBe('{"TableName":"t","Item":{"b":{"B":"AQL/"},"s":{"BS":["AQL/",""]}}}');
    expect(encoded({ A: undefined, L: [{ B: Buffer.from("x") }] })).toBe('{"L":[{"B":"eA=="}]}');
  });

  test("long bytes stand between texts of any characters", () => {
    const long = Buffer.from(Array.from({ length: 1000 }, (_unused, at) => at));
    const Item = {
      ü: { S: "日本 🦊" },
      b: { B: long },
      s: { BS: [long, Buffer.of(1), long] },
      é: { S: '"\\' },
    };
    const base64 = long.toString("base64");
    const expected = { ...Item, b: { B: base64 }, s: { BS: [base64, "AQ==", base64] } };
    expect(encoded({ Item, z: "ñ" })).toBe(JSON.stringify({ Item: expected, z: "ñ" }));
  });

  test("bytes in a place where they do not belong are not passed off as text", () => {
    const text = encoded({ Item: { s: { S: Buffer.from("secret") } } });
    expect(text).not.toContain(Buffer.from("secret").toString("base64"));
    expect(JSON.parse(text)).toMatchObject({ Item: { s: { S: { type: "Buffer" } } } });
  });

  test("names written with escapes are recognized", () => {
    const output = decoded("GetItem", '{"Item":{"a":{"\\u0042":"AQ=="},"c":{"B\\u0053":["AQ=="]}}}');
    expect(output).toEqual({ Item: { a: { B: new Uint8Array([1]) }, c: { BS: [new Uint8Array([1])] } } });
  });

  test("bytes are returned as separate arrays", () => {
    const output = decoded("GetItem", '{"Item":{"a":{"B":"AQID"}}}') as {
      Item: { a: { B: Uint8Array } };
    };
    expect(output.Item.a.B.buffer.byteLength).toBe(3);
    expect(output.Item.a.B).not.toBeInstanceOf(Buffer);
  });

  test("long values are decoded as JSON.parse and the decoder would, whatever surrounds them", () => {
    const long = fc.uint8Array({ minLength: 700, maxLength: 2_000 });
    const tricky = fc.constantFrom(
      ...['B":"', '"B":"', '\\"B":"', 'S":"', '"S":"', '\\"S":"'],
      ...["\u007F", "\u007F0", "\u007F1", "\\", "é🦊", "plain", ""],
    );
    const parts = fc.record({ bytes: fc.oneof(long, bytes), name: fc.oneof(names, tricky), text: tricky });
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 25 }), (given) => {
        const Items = given.map(({ bytes: B, name, text }) => ({
          b: { B },
          [`${name}B`]: { S: text },
          S: { S: `${text}${"plain".repeat(B.length)}` },
          m: { M: { [name === "__proto__" ? "p" : name]: { B }, B: { B }, t: { S: text.repeat(600) } } },
        }));
        expect(decoded("Query", encoded({ Items }))).toEqual({
          Items: Items.map((item) => JSON.parse(JSON.stringify(item, plain), bytesAgain)),
        });
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ["an escaped slash", (text: string) => `{"Item":{"a":{"B":"${text.replaceAll("/", "\\/")}"}}}`],
    ["white space before it", (text: string) => `{"Item":{"a":{"B": "${text}"}}}`],
    ["the same member twice", (text: string) => `{"Item":{"a":{"B":"${text}","B":"${text}"}}}`],
    [
      "a name that ends with an escaped quote",
      (text: string) => `{"Item":{"a":{"B":"${text}"}},"\\"B":"${text}"}`,
    ],
  ])("long bytes with %s are the same bytes", (_what, body) => {
    const long = Buffer.alloc(3_000, Uint8Array.of(255, 240, 63));
    const output = decoded("GetItem", body(long.toString("base64"))) as { Item: { a: { B: Uint8Array } } };
    expect(Buffer.from(output.Item.a.B).equals(long)).toBe(true);
  });

  test.each([
    ["a quote", '"'],
    ["backslashes at the end", "\\\\"],
    ["an escaped quote at the end", '\\"'],
    ["characters of several bytes", "é🦊日本"],
    ["control characters", "\u0000\n\u001f"],
  ])("a long string with %s is that string, and so are its neighbors", (_what, part) => {
    const long = "long".repeat(3_000);
    const Item = { a: { S: long }, b: { S: `${long}${part}` }, c: { S: `${part}${long}` }, d: { S: long } };
    expect(decoded("GetItem", JSON.stringify({ Item }))).toEqual({ Item });
  });

  test.each(["", "}", '{"x":1}'])("JSON that ends wrongly after long bytes is rejected: %j", (end) => {
    const long = Buffer.alloc(3_000, 7).toString("base64");
    expect(() => decoded("GetItem", `{"Item":{"a":{"B":"${long}"}}${end}${end}`)).toThrow(SyntaxError);
  });

  test("timestamps become dates, in tables and streams only", () => {
    expect(
      decoded(
        "DescribeTable",
        '{"Table":{"CreationDateTime":1700000000.123,"BillingModeSummary":{"LastUpdateToPayPerRequestDateTime":1}}}',
      ),
    ).toEqual({
      Table: {
        CreationDateTime: new Date(1_700_000_000_123),
        BillingModeSummary: { LastUpdateToPayPerRequestDateTime: new Date(1000) },
      },
    });
    const records =
      '{"Records":[{"dynamodb":{"ApproximateCreationDateTime":5,"NewImage":{"ADateTime":{"N":"5"}}}}]}';
    expect(decoded("GetRecords", records)).toEqual({
      Records: [
        { dynamodb: { ApproximateCreationDateTime: new Date(5000), NewImage: { ADateTime: { N: "5" } } } },
      ],
    });
    expect(decoded("Query", '{"ADateTime":5}')).toEqual({ ADateTime: 5 });
  });

  test("a page of long strings is decoded like its items alone", () => {
    const longItems = fc.array(
      fc.record({ item: items, text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }) }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(longItems, (given) => {
        const page = given.map(({ item, text }) => ({ long: { S: text.repeat(9_000) }, ...item }));
        expect(decoded("Query", encoded({ Items: page, Count: page.length }))).toEqual({
          Items: page,
          Count: page.length,
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe("whether a page consists mostly of long strings", () => {
  const page = (attributes: object) => {
    const items = Array.from({ length: 100 }, (_, at) => ({
      pk: { S: "page" },
      sk: { S: String(at).padStart(4, "0") },
      ...attributes,
    }));
    return Buffer.from(JSON.stringify({ Items: items, Count: 100, ScannedCount: 100 }));
  };

  test("does not depend on how long exactly its items are", () => {
    for (let length = 600; length < 2_000; length += 13) {
      expect(hasLongStrings(page({ data: { S: "x".repeat(length) } })), String(length)).toBe(true);
    }
  });

  test("is so for one long value beside a few short ones, and not for short ones alone", () => {
    const short = { seq: { N: "12" }, type: { S: "Added" }, at: { N: "1794800000123" }, manifest: { S: "" } };
    expect(hasLongStrings(page({ ...short, data: { B: "QUJD".repeat(320) } }))).toBe(true);
    expect(hasLongStrings(page(short))).toBe(false);
  });
});
