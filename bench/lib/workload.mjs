/** The same five calls for every side of a benchmark: 1 KB items of one of the shapes, keys of two strings. */

export const tableInput = (TableName) => ({
  TableName,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
  ],
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
});

export const operations = ["put", "get", "query of 100", "batch of 25", "transaction of 2"];

/** Fills what `get` and `query of 100` read. */
export async function seed(port, TableName, shape) {
  for (let at = 0; at < 500; at += 25) {
    const puts = Array.from({ length: 25 }, (_unused, offset) => ({
      PutRequest: { Item: itemOf(at + offset, shape) },
    }));
    await port.batchWriteItem({ RequestItems: { [TableName]: puts } });
  }
  for (let at = 0; at < 100; at += 25) {
    const puts = Array.from({ length: 25 }, (_unused, offset) => ({
      PutRequest: {
        Item: { pk: { S: "page" }, sk: { S: String(at + offset).padStart(4, "0") }, ...shape.attributes },
      },
    }));
    await port.batchWriteItem({ RequestItems: { [TableName]: puts } });
  }
}

/** The calls on a port. `put` and the transaction are conditional, on items that are not there. */
export function workload(port, TableName, shape) {
  let next = 1_000_000;
  let read = 0;
  const fresh = () => ({
    TableName,
    Item: itemOf(next++, shape),
    ConditionExpression: "attribute_not_exists(pk)",
  });
  return {
    put: () => port.putItem(fresh()),
    get: () => {
      const { pk, sk } = itemOf((read++ * 7919) % 500, shape);
      return port.getItem({ TableName, Key: { pk, sk }, ConsistentRead: true });
    },
    "query of 100": () =>
      port.query({
        TableName,
        KeyConditionExpression: "pk = :page",
        ExpressionAttributeValues: { ":page": { S: "page" } },
        ConsistentRead: true,
      }),
    "batch of 25": () =>
      port.batchWriteItem({
        RequestItems: {
          [TableName]: Array.from({ length: 25 }, () => ({ PutRequest: { Item: itemOf(next++, shape) } })),
        },
      }),
    "transaction of 2": () =>
      port.transactWriteItems({ TransactItems: [{ Put: fresh() }, { Put: fresh() }] }),
  };
}

/** Item number `at`; they spread over 1,000 partitions. */
export function itemOf(at, { attributes }) {
  return { pk: { S: `partition-${at % 1000}` }, sk: { S: `item-${at}` }, ...attributes };
}
