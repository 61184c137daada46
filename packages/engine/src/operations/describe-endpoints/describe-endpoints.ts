import type { Operation } from "../operation.ts";

/** An engine has no address of its own. A server in front of it tells its own instead. */
export const describeEndpoints: Operation<"DescribeEndpoints"> = () => ({
  Endpoints: [{ Address: "localhost", CachePeriodInMinutes: 1440 }],
});
