import { expect, test } from "vitest";
import { runTwoHosts } from "./two-hosts.ts";

test.each(["optimistic", "strict"] as const)(
  "two hosts for the same entities under faults, %s: histories hold, and every reply is explained by them",
  async (fencing) => {
    let acked = 0;
    let inDoubt = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const run = await runTwoHosts(seed, fencing);
      expect(run.problems, `seed ${seed}: ${run.schedules.join(" | ")}`).toEqual([]);
      acked += run.acked;
      inDoubt += run.inDoubt;
    }
    // The trouble was trouble, and work got done in spite of it.
    expect(acked).toBeGreaterThan(1000);
    expect(inDoubt).toBeGreaterThan(5);
  },
  120_000,
);
