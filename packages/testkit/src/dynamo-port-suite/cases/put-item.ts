import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const api = "AWS: API_PutItem";

export const putItemCases: readonly PortCase[] = [
  {
    name: "PutItem stores an item that GetItem gives back",
    source: api,
    async run({ port, tables, unique }) {
      const Item = { pk: { S: unique() }, a: { N: "1" } };
      same(await port.putItem({ TableName: tables.simple, Item }), {});
      same(await port.getItem({ TableName: tables.simple, Key: { pk: Item.pk } }), { Item });
    },
  },
  {
    name: "PutItem with a condition that does not hold changes nothing",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      const put = (a: string) =>
        port.putItem({
          TableName: tables.simple,
          Item: { pk, a: { S: a } },
          ConditionExpression: "attribute_not_exists(pk)",
        });
      await put("first");
      await refuses(put("second"), "ConditionalCheckFailedException", "The conditional request failed");
      same(await port.getItem({ TableName: tables.simple, Key: { pk } }), {
        Item: { pk, a: { S: "first" } },
      });
    },
  },
];
