import { buildPort, DynamoError, type DynamoPort } from "@tablekeep/core";
import { describe, expect, it } from "vitest";
import { formatCost, noCounts } from "./meter.ts";
import { metered } from "./metered.ts";

/** A port that retries twice before it answers with nothing. */
function retryingPort(): DynamoPort {
  const reason = new DynamoError({ exception: "ThrottlingException", serviceMessage: "slow down" });
  return buildPort(
    async (_operation, _input, { onRetry }) => {
      onRetry?.(2, reason);
      onRetry?.(3, reason);
      return {} as never;
    },
    async () => {},
  );
}

describe("metered", () => {
  it("counts the retries that the port reports, and reports them to the caller too", async () => {
    const { port, meter } = metered(retryingPort());
    const told: number[] = [];
    await port.getItem({ TableName: "t", Key: {} }, { onRetry: (attempt) => told.push(attempt) });
    expect(meter.snapshot().total).toEqual({ ...noCounts, requests: 1, retries: 2 });
    expect(told).toEqual([2, 3]);
  });

  it("rejects an option that does not exist", () => {
    const wrong = { capacities: true } as object;
    expect(() => metered(retryingPort(), wrong)).toThrow(
      expect.objectContaining({ code: "CLIENT_OPTION_INVALID" }),
    );
  });

  it("closes the port below", async () => {
    let closed = 0;
    const below = buildPort(
      async () => ({}) as never,
      async () => {
        closed += 1;
      },
    );
    await metered(below).port.close();
    expect(closed).toBe(1);
  });
});

describe("formatCost", () => {
  it("mentions only counts that are not 0", () => {
    expect(formatCost(noCounts)).toBe("nothing");
    expect(formatCost({ ...noCounts, requests: 2, retries: 1, itemsRead: 2, readUnits: 1.5 })).toBe(
      "2 requests, 1 retry, 2 items read, 1.5 RCU",
    );
  });
});
