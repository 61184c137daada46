import type { Item, PutItemInput, UpdateItemInput } from "@tablekeep/core";
import { m, n, pk, s } from "../attribute-values.ts";
import { cases, type Row, type Step } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

/*
 * Since 2026 AWS puts a prefix before what it rejects in PutItem, UpdateItem and DeleteItem without looking at the table.
 * What depends on the table, and what other operations reject, stays without it.
 */

const prefix = "1 validation error detected: ";
const invalid = "One or more parameter values were invalid: ";
const exactly = (text: string) => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);

/** Members of a PutItem, UpdateItem and DeleteItem request beside the table and the key. */
type Members = Partial<PutItemInput> & Partial<UpdateItemInput>;

const ofEachWrite: readonly (readonly [what: string, over: Members, says: string])[] = [
  [
    "values without an expression",
    { ExpressionAttributeValues: { ":v": s("x") } },
    "ExpressionAttributeValues can only be specified when using expressions",
  ],
  [
    "names without an expression",
    { ExpressionAttributeNames: { "#a": "a" } },
    "ExpressionAttributeNames can only be specified when using expressions",
  ],
  ["an empty condition", { ConditionExpression: "" }, "Invalid ConditionExpression: The expression can not be empty;"],
  [
    "a condition with a value that is not given",
    { ConditionExpression: "a = :v" },
    "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :v",
  ],
  [
    "a condition with a number that is too large",
    { ConditionExpression: "a = :v", ExpressionAttributeValues: { ":v": n("1e126") } },
    "Number overflow. Attempting to store a number with magnitude larger than supported range",
  ],
  [
    "an expectation without a value",
    { Expected: { a: { Exists: true } } },
    `${invalid}Value must be provided when Exists is true for Attribute: a`,
  ],
];

const writes: Readonly<Record<string, (over: Members) => Step>> = {
  PutItem: (over) => ({ putItem: { Item: { pk }, ...over } }),
  UpdateItem: (over) => ({ updateItem: { Key: { pk }, ...over } }),
  DeleteItem: (over) => ({ deleteItem: { Key: { pk }, ...over } as object }),
};

const word = n("abc");
const notANumber = "The parameter cannot be converted to a numeric value: abc";
const batchPut = (table: string, Item: Item): Step => ({
  batchWriteItem: { RequestItems: { [table]: [{ PutRequest: { Item } }] } },
});
const wrongIndexKey = { pk, sk: s("a"), g: n(1) };
const ofIndexKey = `${invalid}Type mismatch for Index Key g Expected: S Actual: N IndexName: by-g`;

const bare: readonly (readonly [what: string, request: Step, says: string])[] = [
  [
    "PutItem rejects a key of the wrong type",
    { putItem: { Item: { pk: n(1) } } },
    `${invalid}Type mismatch for key pk expected: S actual: N`,
  ],
  ["PutItem rejects an index key of the wrong type", { putItem: { TableName: "$indexed", Item: wrongIndexKey } }, ofIndexKey],
  ["BatchWriteItem rejects an index key of the wrong type", batchPut("$indexed", wrongIndexKey), ofIndexKey],
  [
    "DeleteItem rejects a key that does not match",
    { deleteItem: { TableName: "$composite", Key: { pk } } },
    "The provided key element does not match the schema",
  ],
  ["GetItem rejects a malformed number", { getItem: { Key: { pk: word } } }, notANumber],
  ["BatchWriteItem rejects a malformed number", batchPut("$simple", { pk, n: word }), notANumber],
  [
    "TransactWriteItems rejects a malformed number",
    { transactWriteItems: { TransactItems: [{ Put: { TableName: "$simple", Item: { pk, n: word } } }] } },
    notANumber,
  ],
  [
    "Query rejects a malformed number, and does not name its placeholder",
    {
      query: {
        KeyConditionExpression: "pk = :p",
        FilterExpression: "n = :v",
        ExpressionAttributeValues: { ":p": pk, ":v": word },
      },
    },
    notANumber,
  ],
  [
    "Scan rejects a malformed number, and names its placeholder",
    { scan: { FilterExpression: "n = :v", ExpressionAttributeValues: { ":v": word } } },
    `ExpressionAttributeValues contains invalid value: ${notANumber} for key :v`,
  ],
  [
    "BatchWriteItem rejects an attribute name of 64 KB, at any depth",
    batchPut("$simple", { pk, m: m({ ["a".repeat(65_536)]: s("b") }) }),
    "Attribute name is too large, must be less than 65536 bytes",
  ],
];

export const validationPrefixCases: readonly PortCase[] = cases(
  { source: "Parity Suite of 2026-10-09: tier3/error-messages, captured in four regions", table: "simple" },
  [
    ...Object.entries(writes).flatMap(([operation, write]) =>
      ofEachWrite.map(
        ([what, over, says]): Row => ({
          name: `${operation} reports ${what} as a validation error`,
          gap: "has no prefix",
          ...write(over),
          rejected: exactly(prefix + says),
        }),
      ),
    ),
    ...bare.map(
      ([what, request, says]): Row => ({
        name: `${what}, without a prefix`,
        gap: "words this rejection differently",
        ...request,
        rejected: exactly(says),
      }),
    ),
    {
      name: "UpdateItem rejects changing the key, without a prefix",
      updateItem: { Key: { pk }, UpdateExpression: "SET pk = :v", ExpressionAttributeValues: { ":v": s("b") } },
      rejected: exactly(`${invalid}Cannot update attribute pk. This attribute is part of the key`),
    },
    {
      name: "BatchWriteItem rejects an empty attribute name, without a prefix",
      ...batchPut("$simple", { pk, "": s("b") }),
      rejected: exactly("Empty attribute name"),
    },
  ],
);
