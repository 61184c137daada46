import type { AttributeValue, CommittedChange, Item } from "@tablekeep/core";
import { expect, test } from "vitest";
import { openEngine } from "../index.ts";

const types = ["S", "N", "B", "SS", "NS", "BS", "M", "L", "BOOL", "NULL"] as const;

/** Reads each attribute the way callers do: by the member of its type. */
function readAll(item: Readonly<Item> | undefined): Record<string, unknown> {
  const read = (value: AttributeValue) => {
    const found: unknown[] = types.flatMap((type) => (value[type] === undefined ? [] : [type, value[type]]));
    // Bytes may be a Buffer.
    return value.B === undefined ? found : ["B", new Uint8Array(value.B)];
  };
  return Object.fromEntries(Object.entries(item ?? {}).map(([name, value]) => [name, read(value)]));
}

test("a reported change shows the items that are stored, with values of every type", async () => {
  await using port = await openEngine({ storage: { kind: "memory" } });
  const created = await port.createTable({
    TableName: "things",
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "B" }],
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    BillingMode: "PAY_PER_REQUEST",
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
  });
  const changes: CommittedChange[] = [];
  port.watchStream?.(created.TableDescription?.LatestStreamArn ?? "", (change) => changes.push(change));
  const key = { pk: { B: new Uint8Array([0, 255, 10]) } };
  const first: Item = {
    ...key,
    text: { S: "ä\u0000" },
    number: { N: "1.5" },
    bytes: { B: new Uint8Array(300).fill(7) },
    none: { B: new Uint8Array() },
    sets: { BS: [new Uint8Array([1]), new Uint8Array([2, 3])] },
    numbers: { NS: ["1", "2"] },
    strings: { SS: ["a"] },
    map: {
      M: { inner: { B: new Uint8Array([9]) }, list: { L: [{ B: new Uint8Array([8]) }, { NULL: true }] } },
    },
    flag: { BOOL: false },
  };
  Object.defineProperty(first, "__proto__", { value: { B: new Uint8Array([4]) }, enumerable: true });
  const second: Item = { ...key, text: { S: "b" } };
  await port.putItem({ TableName: "things", Item: first });
  await port.putItem({ TableName: "things", Item: second });
  await port.deleteItem({ TableName: "things", Key: key });
  const seen = changes.map(({ kind, image, before }) => [kind, readAll(before()), readAll(image())]);
  expect(seen).toEqual([
    ["insert", {}, readAll(first)],
    ["modify", readAll(first), readAll(second)],
    ["remove", readAll(second), {}],
  ]);
});
