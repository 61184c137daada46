import type { TransactWriteItem } from "@tablekeep/core";
import { n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { action, put } from "../transaction-actions.ts";

const schema = "The provided key element does not match the schema";
const mismatch = "One or more parameter values were invalid: Type mismatch for ";
const instead = "rejects instead of cancelling";
const update = (Update: TransactWriteItem["Update"]): TransactWriteItem => ({ Update });

/** Actions that cancel with ValidationError, and how the text of the reason begins. */
const invalid: readonly (readonly [what: string, action: TransactWriteItem, text: RegExp, gap: string])[] = [
  [
    "a put with a key of the wrong type",
    put({ pk: n(5) }),
    starts(`${mismatch}key pk expected: S actual: N`),
    "does not name the key and its types",
  ],
  [
    "an update with a key of the wrong type",
    update({ TableName: "$simple", Key: { pk: n(5) }, UpdateExpression: "REMOVE a" }),
    starts(schema),
    "cancels with other words",
  ],
  [
    "a delete with a further key attribute",
    { Delete: { TableName: "$simple", Key: { pk, sk: s("s") } } },
    starts(schema),
    instead,
  ],
  [
    "a check without its key",
    { ConditionCheck: { TableName: "$indexed", Key: { pk }, ConditionExpression: "attribute_exists(pk)" } },
    starts(schema),
    instead,
  ],
  [
    "a put with an index key of the wrong type",
    { Put: { TableName: "$indexed", Item: { pk, sk: s("1"), l: n(5) } } },
    starts(`${mismatch}Index Key l Expected: S Actual: N`),
    "does not name the key and its types",
  ],
  [
    "an update of an attribute that is absent",
    update({
      TableName: "$simple",
      Key: { pk },
      UpdateExpression: "SET a = absent + :one",
      ExpressionAttributeValues: { ":one": n(1) },
    }),
    starts("The provided expression refers to an attribute that does not exist in the item"),
    instead,
  ],
  [
    "an update of a key attribute",
    update({ TableName: "$simple", Key: { pk }, UpdateExpression: "SET pk = :x", ExpressionAttributeValues: { ":x": s("x") } }),
    starts("One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key"),
    "returns one reason for two actions",
  ],
];

function starts(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
}

/** Requests that are wrong in themselves: rejected whole, without cancellation reasons. */
const malformed: readonly (readonly [what: string, action: TransactWriteItem, says?: string, gap?: string])[] = [
  ["no action in an entry", {}],
  ["two actions in one entry", { ...put({ pk }), Delete: { TableName: "$simple", Key: { pk: s("b") } } }],
  ["a check without a condition", action("ConditionCheck", pk, ""), "The expression can not be empty;"],
  [
    "a syntax error in an update",
    update({ TableName: "$simple", Key: { pk }, UpdateExpression: "SET a = =" }),
    "Syntax error; token:",
  ],
  [
    "an unused value",
    {
      Put: {
        TableName: "$simple",
        Item: { pk },
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeValues: { ":x": s("x") },
      },
    },
    "Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}",
  ],
  [
    "an empty key value",
    put({ pk: s("") }),
    "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
  ],
  [
    "an unknown ReturnValuesOnConditionCheckFailure",
    { Delete: { TableName: "$simple", Key: { pk }, ReturnValuesOnConditionCheckFailure: "ALL_NEW" as "ALL_OLD" } },
    "",
    "ignores it",
  ],
];

const cancellation = "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError]";

export const transactWriteRejectionCases: readonly PortCase[] = cases({ source: "public conformance suites" }, [
  ...invalid.map(
    ([what, wrong, text, gap]): Row => ({
      name: `TransactWriteItems is cancelled with ValidationError by ${what}`,
      gap,
      transactWriteItems: { TransactItems: [action("Put", s("$ok"), "attribute_not_exists(pk)"), wrong] },
      rejected: `TransactionCanceledException: ${cancellation}`,
      shows: {
        "cancellationReasons.0": { Code: "None" },
        "cancellationReasons.1.Code": "ValidationError",
        "cancellationReasons.1.Message": text,
      },
      after: { simple: [] },
    }),
  ),
  ...malformed.map(
    ([what, wrong, says = "", gap]): Row => ({
      name: `TransactWriteItems rejects ${what}`,
      gap,
      transactWriteItems: { TransactItems: [wrong] },
      rejected: says,
    }),
  ),
  {
    name: "TransactWriteItems answers an unknown table before any failed condition",
    transactWriteItems: {
      TransactItems: [
        action("Put", pk, "attribute_exists(pk)"),
        { Put: { TableName: "absent-$name", Item: { pk }, ConditionExpression: "attribute_not_exists(pk)" } },
      ],
    },
    rejected: "ResourceNotFoundException",
  },
]);
