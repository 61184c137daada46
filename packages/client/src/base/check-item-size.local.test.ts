import {
  type AttributeValue,
  attributeSize,
  type DynamoPort,
  type Item,
  isDynamoError,
  itemSize,
  maxItemBytes,
} from "@tablekeep/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createTestTable } from "../../test/local-table.ts";
import { openPort } from "../../test/open-port.ts";

const endpoint = inject("dynamoDbLocal");

/** Numbers by what may change their size: digits, sign, place of the point, zeros, exponent. */
const numbers = [
  ..."0 -0 1 -1 12 -12 123 -123 1234 10 100 1000 101 1001".split(" "),
  ..."0.1 0.01 0.001 0.12 1.2 -1.2 12.3 1.23 1.05 10.1 0.1234567 00012.500".split(" "),
  ..."1e125 1e-130 -1e-130 9.9999999999999999999999999999999999999E+125".split(" "),
  "12345678901234567890123456789012345678",
  "-12345678901234567890123456789012345678",
  "1234567890123456789012345678901234567.8",
  "-1234567890123456789012345678901234567.8",
];

describe.skipIf(endpoint === "")("the size of an item on DynamoDB Local", () => {
  let port: DynamoPort;
  let table: string;
  beforeAll(async () => {
    port = openPort(endpoint);
    table = await createTestTable(port);
  });
  afterAll(async () => {
    await port.deleteTable({ TableName: table });
    await port.close();
  });

  /** Fills the item to `bytes` with one more attribute and returns whether DynamoDB accepts it. */
  async function fitsWith(item: Item, bytes: number): Promise<boolean> {
    const pad = bytes - itemSize(item) - 1;
    const filled = { ...item, p: { S: "x".repeat(pad) } };
    expect(itemSize(filled)).toBe(bytes);
    try {
      await port.putItem({ TableName: table, Item: filled });
      return true;
    } catch (error) {
      if (isDynamoError(error, "ValidationException")) return false;
      throw error;
    }
  }

  async function expectExact(value: AttributeValue): Promise<void> {
    const item = { pk: { S: "a" }, sk: { N: "1" }, v: value };
    const fits = [await fitsWith(item, maxItemBytes), await fitsWith(item, maxItemBytes + 1)];
    expect(fits, `${JSON.stringify(value).slice(0, 100)} is ${attributeSize(value)}`).toEqual([true, false]);
  }

  test("of a number is exact to the byte", async () => {
    for (const N of numbers) await expectExact({ N });
  });

  test("of every other type is exact to the byte", async () => {
    const values: AttributeValue[] = [
      { S: "" },
      { S: "€😀" },
      { B: new Uint8Array(7) },
      { BOOL: true },
      { NULL: true },
      { SS: ["a", "bb"] },
      { NS: ["1", "22", "-3.3"] },
      { BS: [new Uint8Array(1), new Uint8Array(2)] },
      { L: [] },
      { L: [{ S: "a" }, { L: [{ N: "1" }] }, { BOOL: false }] },
      { M: {} },
      { M: { ab: { S: "c" }, "€": { M: { a: { NULL: true } } } } },
    ];
    for (const value of values) await expectExact(value);
  });

  test("of random numbers is exact to the byte", async () => {
    const number = fc
      .tuple(fc.boolean(), fc.stringMatching(/^[1-9][0-9]{0,37}$/), fc.integer({ min: -100, max: 80 }))
      .map(([negative, digits, exponent]) => `${negative ? "-" : ""}${digits}e${exponent}`);
    await fc.assert(
      fc.asyncProperty(number, (N) => expectExact({ N })),
      { numRuns: 40 },
    );
  });
});
