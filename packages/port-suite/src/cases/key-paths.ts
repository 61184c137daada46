import { n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const Key = { pk, sk: s("a") };
const values = { ":v": n(1) };
const byPartition = { KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": pk } };
const says = (key = "") => `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ${key}`;

/** Paths into keys of `$indexed`, and how DynamoDB names the key. */
const paths: readonly (readonly [path: string, key: string])[] = [
  ["sk.x", "Key: sk"],
  ["pk[0]", "Key: pk"],
  ["h.x", "IndexKey: h"],
  ["l[0].x", "IndexKey: l"],
];

const reads = (path: string): Readonly<Record<string, Omit<Row, "name">>> => ({
  "GetItem does not project": { getItem: { Key, ProjectionExpression: path } },
  "BatchGetItem does not project": {
    batchGetItem: { RequestItems: { $indexed: { Keys: [Key], ProjectionExpression: path } } },
  },
  "TransactGetItems does not project": {
    transactGetItems: { TransactItems: [{ Get: { TableName: "$indexed", Key, ProjectionExpression: path } }] },
  },
  "Query does not project": { query: { ...byPartition, ProjectionExpression: path } },
  "Scan does not project": { scan: { ProjectionExpression: path } },
  "Scan does not filter by": {
    scan: { FilterExpression: `${path} = :v`, ExpressionAttributeValues: values },
  },
  "Scan of an index does not filter by": {
    scan: { IndexName: "by-g", FilterExpression: `attribute_exists(${path})` },
  },
  "SELECT does not return": {
    executeStatement: { Statement: `SELECT ${path} FROM "$indexed" WHERE pk = ?`, Parameters: [pk] },
  },
  "SELECT does not filter by": {
    executeStatement: { Statement: `SELECT * FROM "$indexed" WHERE pk = ? AND ${path} = 1`, Parameters: [pk] },
  },
});

const writes = (path: string): Readonly<Record<string, Omit<Row, "name">>> => {
  const condition = { ConditionExpression: `NOT ${path} = :v`, ExpressionAttributeValues: values };
  const inTransaction = { TableName: "$indexed", ...condition };
  return {
    "PutItem does not check": { putItem: { Item: Key, ...condition } },
    "DeleteItem does not check": { deleteItem: { Key, ...condition } },
    "UpdateItem does not check": { updateItem: { Key, UpdateExpression: "SET a = :v", ...condition } },
    "UpdateItem does not assign": { updateItem: { Key, UpdateExpression: `SET a = ${path}` } },
    "UpdateItem does not look for": {
      updateItem: {
        Key,
        UpdateExpression: `SET a = list_append(:l, if_not_exists(${path}, :l))`,
        ExpressionAttributeValues: { ":l": { L: [] } },
      },
    },
    "a transaction does not put if": {
      transactWriteItems: { TransactItems: [{ Put: { Item: Key, ...inTransaction } }] },
    },
    "a transaction does not delete if": {
      transactWriteItems: { TransactItems: [{ Delete: { Key, ...inTransaction } }] },
    },
    "UPDATE does not check": {
      executeStatement: {
        Statement: `UPDATE "$indexed" SET a = 1 WHERE pk = ? AND sk = 'a' AND ${path} = 1`,
        Parameters: [pk],
      },
      rejected: says(),
    },
    "DELETE does not check": {
      executeStatement: {
        Statement: `DELETE FROM "$indexed" WHERE pk = ? AND sk = 'a' AND ${path} = 1`,
        Parameters: [pk],
      },
      rejected: says(),
    },
  };
};

export const keyPathCases: readonly PortCase[] = cases(
  { source: "public conformance suites (dynalite); DynamoDB Local", table: "indexed" },
  [
    ...paths.flatMap(([path, key]): Row[] =>
      Object.entries({ ...reads(path), ...writes(path) }).map(([what, request]) => ({
        name: `${what} a path into a key: ${path}`,
        rejected: says(key),
        ...request,
      })),
    ),
    ...paths.slice(2).flatMap(([path, key]): Row[] => [
      {
        name: `Query does not filter by a path into an index key: ${path}`,
        query: {
          KeyConditionExpression: "pk = :p",
          FilterExpression: `${path} = :v`,
          ExpressionAttributeValues: { ":p": pk, ...values },
        },
        rejected: says(key),
      },
      {
        name: `UpdateItem does not change a part of an index key: ${path}`,
        updateItem: { Key, UpdateExpression: `REMOVE ${path}` },
        rejected: says(key),
      },
      {
        name: `a transaction does not change a part of an index key: ${path}`,
        transactWriteItems: {
          TransactItems: [
            {
              Update: {
                TableName: "$indexed",
                Key,
                UpdateExpression: `SET ${path} = :v`,
                ExpressionAttributeValues: values,
              },
            },
          ],
        },
        rejected: says(key),
      },
    ]),
    {
      name: "a transaction does not check a path into a key",
      gap: "evaluates the condition of a ConditionCheck",
      transactWriteItems: {
        TransactItems: [{ ConditionCheck: { TableName: "$indexed", Key, ConditionExpression: "attribute_not_exists(h.x)" } }],
      },
      rejected: says("IndexKey: h"),
    },
    {
      name: "a path that begins with the name of a key in a map is not a path into a key",
      given: { indexed: [{ ...Key, m: { M: { h: { M: { x: n(1) } } } } }] },
      getItem: { Key, ProjectionExpression: "m.h.x" },
      returns: { Item: { m: { M: { h: { M: { x: n(1) } } } } } },
    },
    {
      name: "a dot in the name of an attribute does not make a path into a key",
      given: { indexed: [{ ...Key, "h.x": n(1) }] },
      getItem: { Key, ProjectionExpression: "#h", ExpressionAttributeNames: { "#h": "h.x" } },
      returns: { Item: { "h.x": n(1) } },
    },
  ],
);
