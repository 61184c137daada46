import assert from "node:assert/strict";
import { localGap, type PortCase } from "../port-case.ts";

export const accountCases: readonly PortCase[] = [
  {
    name: "DescribeLimits gives four positive limits, those of a table within those of the account",
    source: "AWS: API_DescribeLimits",
    async run({ port }) {
      const limits = await port.describeLimits({});
      const pairs = [
        [limits.TableMaxReadCapacityUnits, limits.AccountMaxReadCapacityUnits],
        [limits.TableMaxWriteCapacityUnits, limits.AccountMaxWriteCapacityUnits],
      ] as const;
      for (const [table = 0, account = 0] of pairs)
        assert.ok(table > 0 && table <= account, `${table} of ${account}`);
    },
  },
  {
    name: "DescribeEndpoints gives an address and for how long it may be cached",
    source: "AWS: API_DescribeEndpoints",
    async run({ port }) {
      const { Endpoints } = await port.describeEndpoints({});
      assert.ok((Endpoints?.length ?? 0) > 0);
      for (const { Address, CachePeriodInMinutes } of Endpoints ?? []) {
        assert.ok((Address ?? "").length > 0 && (CachePeriodInMinutes ?? 0) > 0);
      }
    },
    ...localGap("does not know the operation"),
  },
];
