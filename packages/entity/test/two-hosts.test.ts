import type { Outcome } from "@tablekeep/core";
import type { Journal, WrittenRange } from "@tablekeep/journal";
import { expect, test } from "vitest";
import { runTwoHosts } from "./two-hosts.ts";

const seeds = Number(process.env["TWO_HOSTS_SEEDS"] ?? 24);

test.each(["optimistic", "strict"] as const)(
  "two hosts for the same entities under faults, %s: histories hold, and every reply is explained by them",
  async (fencing) => {
    let acked = 0;
    let inDoubt = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const run = await runTwoHosts(seed, fencing);
      expect(run.problems, `seed ${seed}: ${run.schedules.join(" | ")}`).toEqual([]);
      acked += run.acked;
      inDoubt += run.inDoubt;
    }
    // The trouble was trouble, and work got done in spite of it.
    expect(acked).toBeGreaterThan(500);
    expect(inDoubt).toBeGreaterThan(20);
  },
  5_000 * seeds,
);

/** A journal that tells outcomes wrongly. */
function lying(journal: Journal, told: (outcome: Outcome<WrittenRange>) => Outcome<WrittenRange>): Journal {
  return {
    ...journal,
    async recover(id, options) {
      const writer = await journal.recover(id, options);
      return Object.assign(Object.create(writer) as typeof writer, {
        append: async (...args: Parameters<typeof writer.append>) => (await writer.append(...args)).map(told),
      });
    },
  };
}

test.each([
  [
    "tells unknown as conflict",
    (outcome: Outcome<WrittenRange>): Outcome<WrittenRange> =>
      outcome.kind === "unknown" ? { kind: "conflict", error: outcome.error } : outcome,
  ],
  [
    "acknowledges what is unknown",
    (outcome: Outcome<WrittenRange>): Outcome<WrittenRange> =>
      outcome.kind === "unknown" ? { kind: "ok", value: { first: 1, last: 1 } } : outcome,
  ],
])("such a run finds a host whose journal %s", async (_mistake, told) => {
  for (let seed = 1; seed <= 99; seed += 2) {
    const { problems } = await runTwoHosts(seed, "optimistic", (journal) => lying(journal, told));
    if (problems.length > 0) return;
  }
  expect.unreachable("50 runs found nothing");
});
