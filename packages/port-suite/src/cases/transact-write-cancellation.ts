import type { AttributeValue, Item } from "@tablekeep/core";
import { type ActionName, action, reasons, same } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";
import { seed } from "../sample-rows.ts";

const api = "AWS: API_TransactWriteItems, CancellationReasons";
const s = (text: string): AttributeValue => ({ S: text });
const failed = { Code: "ConditionalCheckFailed", Message: "The conditional request failed" };
const none = { Code: "None" };

const kinds: readonly ActionName[] = ["Put", "Update", "Delete", "ConditionCheck"];

export const transactWriteCancellationCases: readonly PortCase[] = [
  ...kinds.map(
    (kind): PortCase => ({
      name: `TransactWriteItems gives None for what would have gone through and ConditionalCheckFailed for ${kind}, in order`,
      source: api,
      async run(world) {
        const { tables, unique } = world;
        const ok = () => action("Put", tables.simple, s(unique()), "attribute_not_exists(pk)");
        const bad = () => action(kind, tables.simple, s(unique()), "attribute_exists(pk)");
        same(await reasons(world, [ok(), bad()]), [none, failed]);
        same(await reasons(world, [bad(), ok()]), [failed, none]);
        same(await reasons(world, [ok(), bad(), ok(), bad()]), [none, failed, none, failed]);
      },
      ...localGap(kind === "ConditionCheck" ? "ends the message with a full stop" : undefined),
    }),
  ),
  ...kinds.map(
    (kind): PortCase => ({
      name: `TransactWriteItems gives the item that failed the condition of ${kind} when asked`,
      source: api,
      async run(world) {
        const { port, tables, unique } = world;
        const item: Item = { pk: s(unique()), a: { L: [{ N: "1" }] } };
        const pk = item["pk"] ?? s("");
        await seed(port, tables.simple, [item]);
        const condition = "attribute_not_exists(pk)";
        same(await reasons(world, [action(kind, tables.simple, pk, condition, "ALL_OLD")]), [
          { ...failed, Item: item },
        ]);
        same(await reasons(world, [action(kind, tables.simple, pk, condition)]), [failed]);
      },
      ...localGap(kind === "ConditionCheck" ? "ends the message with a full stop" : undefined),
    }),
  ),
  {
    name: "TransactWriteItems gives no item for a failed condition on an absent item",
    source: api,
    async run(world) {
      const { tables, unique } = world;
      const absent = action("Put", tables.simple, s(unique()), "attribute_exists(pk)", "ALL_OLD");
      same(await reasons(world, [absent]), [failed]);
    },
  },
  {
    name: "TransactWriteItems gives the items of several failed conditions at their places",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const items = [
        { pk: s(unique()), a: s("1") },
        { pk: s(unique()), a: s("2") },
      ];
      await seed(port, tables.simple, items);
      const TransactItems = [
        action("Delete", tables.simple, items[1]?.pk ?? s(""), "attribute_not_exists(pk)", "ALL_OLD"),
        action("Put", tables.simple, s(unique()), "attribute_not_exists(pk)", "ALL_OLD"),
        action("Update", tables.simple, items[0]?.pk ?? s(""), "a = pk", "ALL_OLD"),
      ];
      same(await reasons(world, TransactItems), [
        { ...failed, Item: items[1] },
        none,
        { ...failed, Item: items[0] },
      ]);
    },
  },
  {
    name: "TransactWriteItems gives as many reasons as it has actions, up to 100",
    source: api,
    async run(world) {
      const { tables, unique } = world;
      const TransactItems = Array.from({ length: 100 }, (_, index) =>
        action(
          "Put",
          tables.simple,
          s(unique()),
          index === 57 ? "attribute_exists(pk)" : "attribute_not_exists(pk)",
        ),
      );
      const given = await reasons(world, TransactItems);
      same(given.map((reason) => reason.Code !== "None").indexOf(true), 57);
      same(given.length, 100);
    },
  },
];
