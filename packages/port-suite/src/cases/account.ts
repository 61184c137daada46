import assert from "node:assert/strict";
import { cases } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

export const accountCases: readonly PortCase[] = cases({ source: "AWS: API_DescribeLimits" }, [
  {
    name: "DescribeLimits returns four positive limits, those of a table within those of the account",
    async run({ port }) {
      const limits = await port.describeLimits({});
      const pairs = [
        [limits.TableMaxReadCapacityUnits, limits.AccountMaxReadCapacityUnits],
        [limits.TableMaxWriteCapacityUnits, limits.AccountMaxWriteCapacityUnits],
      ] as const;
      for (const [table = 0, account = 0] of pairs) assert.ok(table > 0 && table <= account, `${table} of ${account}`);
    },
  },
  {
    name: "DescribeEndpoints returns an address and for how long it may be cached",
    source: "AWS: API_DescribeEndpoints",
    gap: "does not have the operation",
    describeEndpoints: {},
    shows: { "Endpoints.0.Address": /./, "Endpoints.0.CachePeriodInMinutes": /^[1-9]/ },
  },
]);
