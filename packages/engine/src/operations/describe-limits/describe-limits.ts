import type { Operation } from "../operation.ts";

/** AWS: Limits — the defaults of an account. */
export const describeLimits: Operation<"DescribeLimits"> = () => ({
  AccountMaxReadCapacityUnits: 80_000,
  AccountMaxWriteCapacityUnits: 80_000,
  TableMaxReadCapacityUnits: 40_000,
  TableMaxWriteCapacityUnits: 40_000,
});
