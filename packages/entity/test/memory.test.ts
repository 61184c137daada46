import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { defineEntity } from "../src/index.ts";
import { openWorld } from "./entity-world.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Anonymous memory of this process in MB, after what is not needed has been given back. */
async function anonymousMb(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    collect();
    await pause(20);
  }
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** Its states have 8 KB: 10,000 of them would be seen. It writes nothing, so that the engine stays as small as it is. */
const large = defineEntity({
  type: "large",
  initial: () => Array.from({ length: 1000 }, (_unused, at) => at + 0.5),
  decide: (_command: { type: "count" }, state) => ({ reply: state.length }),
  evolve: (state: number[], _event: { type: "none" }) => state,
});

test.skipIf(process.platform !== "linux")(
  "10,000 entities that have left memory cost less than 50 MB",
  async () => {
    // The layout whose recovery takes the fewest requests: the journal is not what is measured.
    const journalOptions = { layout: "linear" } as const;
    const { host } = await openWorld([large], {
      journalOptions,
      passivateAfterMs: 60_000,
      maxLoaded: 20_000,
      deadlineMs: 100_000,
    });
    const use = async (of: typeof host, from: number, count: number) => {
      for (let at = from; at < from + count; at += 100) {
        const asks = Array.from({ length: 100 }, (_unused, next) =>
          of.of(large).ask(`e-${at + next}`, { type: "count" }),
        );
        await Promise.all(asks);
      }
    };
    const second = await openWorld([large], {
      journalOptions,
      passivateAfterMs: 50,
      deadlineMs: 100_000,
    });
    await use(second.host, 0, 500);
    const before = await anonymousMb();
    await use(second.host, 500, 10_000);
    await expect.poll(() => second.host.loaded).toBe(0);
    const after = await anonymousMb();
    expect(after - before).toBeLessThan(50);
    // The same measure sees entities that stay.
    await use(host, 0, 2_500);
    expect(host.loaded).toBe(2_500);
    expect((await anonymousMb()) - after).toBeGreaterThan(12);
    await host.close();
    await second.host.close();
  },
);
