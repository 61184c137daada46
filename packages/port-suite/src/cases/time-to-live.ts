import type { AttributeValue, Item } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { ownTable } from "../sample-rows.ts";

const api = "AWS: API_UpdateTimeToLive";

export const timeToLiveCases: readonly PortCase[] = [
  {
    name: "DescribeTimeToLive of a fresh table says DISABLED",
    source: "AWS: API_DescribeTimeToLive",
    async run(world) {
      const described = await world.port.describeTimeToLive({ TableName: await ownTable(world) });
      same(described, { TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } });
    },
  },
  {
    name: "UpdateTimeToLive switches expiry on by an attribute",
    source: api,
    async run(world) {
      const { port } = world;
      const TableName = await ownTable(world);
      const TimeToLiveSpecification = { Enabled: true, AttributeName: "ttl" };
      same(await port.updateTimeToLive({ TableName, TimeToLiveSpecification }), { TimeToLiveSpecification });
      await world.eventually("expiry is on", async () => {
        const { TimeToLiveDescription } = await port.describeTimeToLive({ TableName });
        return TimeToLiveDescription?.TimeToLiveStatus === "ENABLED";
      });
      same((await port.describeTimeToLive({ TableName })).TimeToLiveDescription?.AttributeName, "ttl");
    },
  },
  {
    name: "UpdateTimeToLive refuses to switch on what is on",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      const TimeToLiveSpecification = { Enabled: true, AttributeName: "ttl" };
      await world.port.updateTimeToLive({ TableName, TimeToLiveSpecification });
      const again = world.port.updateTimeToLive({ TableName, TimeToLiveSpecification });
      await refuses(again, "ValidationException");
    },
  },
  {
    name: "UpdateTimeToLive refuses to switch off what is off",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      const off = { Enabled: false, AttributeName: "ttl" };
      const call = world.port.updateTimeToLive({ TableName, TimeToLiveSpecification: off });
      await refuses(call, "ValidationException", "TimeToLive is already disabled");
    },
  },
  {
    name: "UpdateTimeToLive refuses an empty attribute name",
    source: api,
    async run({ port, tables }) {
      const TimeToLiveSpecification = { Enabled: true, AttributeName: "" };
      const call = port.updateTimeToLive({ TableName: tables.simple, TimeToLiveSpecification });
      await refuses(call, "ValidationException");
    },
  },
  {
    name: "An item whose time is yet to come stays, and so does one whose ttl is no number",
    source: "AWS docs: Using time to live (TTL) in DynamoDB",
    async run(world) {
      const { port } = world;
      const TableName = await ownTable(world);
      await port.updateTimeToLive({
        TableName,
        TimeToLiveSpecification: { Enabled: true, AttributeName: "ttl" },
      });
      const items: (Item & { pk: AttributeValue })[] = [
        { pk: { S: "future" }, ttl: { N: "9999999999" } },
        { pk: { S: "text" }, ttl: { S: "1" } },
        { pk: { S: "none" } },
      ];
      for (const Item of items) await port.putItem({ TableName, Item });
      for (const Item of items) {
        same(await port.getItem({ TableName, Key: { pk: Item.pk }, ConsistentRead: true }), { Item });
      }
    },
  },
];
