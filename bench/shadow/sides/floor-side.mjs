/** The requests of a write and of an update that reads first, on the raw port, with items of the same size. */
export function floorSide(port, table) {
  const key = (id) => ({ PK: { S: `DS#${id}` }, SK: { S: "DSC#" } });
  const half = { M: { on: { BOOL: true }, level: { N: "5" }, name: { S: "x".repeat(200) } } };
  const versions = new Map();
  const write = async (id) => {
    const version = versions.get(id) ?? 0;
    const next = { ":next": { N: String(version + 1) }, ":expected": { N: String(version) } };
    await port.updateItem({
      TableName: table,
      Key: key(id),
      UpdateExpression:
        "SET Version = :next, #t = :t, ClientToken = :c, Desired = :d, Reported = :r, WriteId = :w",
      ...(version > 0 && { ConditionExpression: "Version = :expected" }),
      ExpressionAttributeNames: { "#t": "TimeStamp" },
      ExpressionAttributeValues: {
        ":t": { N: "1794708821917405583" },
        ":c": { S: "" },
        ":d": half,
        ":r": half,
        ":w": { S: "0123456789012345678901" },
        ...(version > 0 ? next : { ":next": next[":next"] }),
      },
    });
    versions.set(id, version + 1);
  };
  return {
    write,
    async update(id) {
      await port.batchGetItem({ RequestItems: { [table]: { Keys: [key(id)], ConsistentRead: true } } });
      await write(id);
    },
  };
}
