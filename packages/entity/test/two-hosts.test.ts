import type { Outcome } from "@tablekeep/core";
import type { Journal, WrittenRange } from "@tablekeep/journal";
import { expect, test } from "vitest";
import { withWriters } from "./entity-world.ts";
import { runTwoHosts } from "./two-hosts.ts";

const seeds = Number(process.env["TWO_HOSTS_SEEDS"] ?? 24);

test.each(["optimistic", "strict"] as const)(
  "two hosts under faults, %s fencing: histories are valid and explain every reply",
  async (fencing) => {
    let acked = 0;
    let ambiguous = 0;
    let rejectedItems = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const run = await runTwoHosts(seed, fencing);
      expect(run.problems, `seed ${seed}: ${run.schedules.join(" | ")}`).toEqual([]);
      acked += run.acked;
      ambiguous += run.ambiguous;
      rejectedItems += run.rejectedItems;
    }
    // The faults had an effect, and work was done in spite of them.
    expect(acked).toBeGreaterThan(500);
    expect(ambiguous).toBeGreaterThan(20);
    expect(rejectedItems).toBeGreaterThan(20);
  },
  Math.max(600_000, 5_000 * seeds),
);

/** A journal that reports wrong outcomes. */
function misreporting(
  journal: Journal,
  change: (outcome: Outcome<WrittenRange>) => Outcome<WrittenRange>,
): Journal {
  return withWriters(journal, (writer) =>
    Object.assign(Object.create(writer) as typeof writer, {
      append: async (...args: Parameters<typeof writer.append>) => change(await writer.append(...args)),
      appendEach: async (...args: Parameters<typeof writer.appendEach>) =>
        (await writer.appendEach(...args)).map(change),
    }),
  );
}

test.each([
  [
    "reports unknown as conflict",
    (outcome: Outcome<WrittenRange>): Outcome<WrittenRange> =>
      outcome.kind === "unknown" ? { kind: "conflict", error: outcome.error } : outcome,
  ],
  [
    "acknowledges what is unknown",
    (outcome: Outcome<WrittenRange>): Outcome<WrittenRange> =>
      outcome.kind === "unknown" ? { kind: "ok", value: { first: 1, last: 1 } } : outcome,
  ],
])("such a run detects a journal that %s", async (_mistake, change) => {
  for (let seed = 1; seed <= 99; seed += 2) {
    const { problems } = await runTwoHosts(seed, "optimistic", (journal) => misreporting(journal, change));
    if (problems.length > 0) return;
  }
  expect.unreachable("50 runs found nothing");
});
