import type { Item } from "@tablekeep/core";
import { n, s } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { ownTable } from "../sample-rows.ts";

const on = { TableName: "$table", TimeToLiveSpecification: { Enabled: true, AttributeName: "ttl" } };

const items: Item[] = [{ pk: s("future"), ttl: n("9999999999") }, { pk: s("text"), ttl: s("1") }, { pk: s("none") }];

export const timeToLiveCases: readonly PortCase[] = cases({ source: "AWS: API_UpdateTimeToLive", own: {} }, [
  {
    name: "DescribeTimeToLive of a fresh table says DISABLED",
    source: "AWS: API_DescribeTimeToLive",
    describeTimeToLive: { TableName: "$table" },
    returns: { TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } },
  },
  {
    name: "UpdateTimeToLive switches expiry on by an attribute",
    async run(world) {
      const TableName = await ownTable(world);
      const { TimeToLiveSpecification } = on;
      const answer = await world.port.updateTimeToLive({ TableName, TimeToLiveSpecification });
      same(answer, { TimeToLiveSpecification });
      await world.eventually("expiry is on", async () => {
        const { TimeToLiveDescription } = await world.port.describeTimeToLive({ TableName });
        return TimeToLiveDescription?.TimeToLiveStatus === "ENABLED";
      });
      const { TimeToLiveDescription } = await world.port.describeTimeToLive({ TableName });
      same(TimeToLiveDescription?.AttributeName, "ttl");
    },
  },
  {
    name: "UpdateTimeToLive rejects switching expiry on twice",
    steps: [{ updateTimeToLive: on }, { updateTimeToLive: on, rejected: "" }],
  },
  {
    name: "UpdateTimeToLive rejects switching expiry off when it is off",
    updateTimeToLive: { TableName: "$table", TimeToLiveSpecification: { Enabled: false, AttributeName: "ttl" } },
    rejected: "TimeToLive is already disabled",
  },
  {
    name: "UpdateTimeToLive rejects an empty attribute name",
    own: undefined,
    updateTimeToLive: { TableName: "$simple", TimeToLiveSpecification: { Enabled: true, AttributeName: "" } },
    rejected: "",
  },
  {
    name: "An item whose time is yet to come stays, and so does one whose ttl is not a number",
    source: "AWS docs: Using time to live (TTL) in DynamoDB",
    table: "table",
    steps: [{ updateTimeToLive: on }, ...items.map((Item) => ({ putItem: { Item } }))],
    after: { table: items },
  },
]);
