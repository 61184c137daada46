import { sleep } from "@tablekeep/core";
import { fakeClock, seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { persist } from "./persist.ts";
import { searchTimeoutMs } from "./scale.ts";
import { checkCalm, engineFor, inFakeTime, named, troubleWorld } from "./trouble-world.ts";

describe.each(named)("%s: while the items of a transaction become visible one by one", (_name, options) => {
  test.each([1, 5, 101])(
    "replays see a write of %d whole or not at all, and nobody is disturbed",
    async (size) => {
      const clock = fakeClock();
      const { port } = await engineFor(options, { clock, behaviour: { transactionMs: 200 } });
      const world = troubleWorld(port, options, clock);
      await inFakeTime(clock, 5, async () => {
        const writing = async () => {
          const writer = await (await world.actor("writer", port)).recover(world.id);
          for (const each of [97, size, 1, size]) {
            expect(await writer.append([world.texts(each)])).toMatchObject([{ kind: "ok" }]);
          }
        };
        let done = false;
        const reading = async () => {
          const journal = await world.actor("reader", port);
          for (; !done; await sleep(clock, 17)) {
            await journal.replay(world.id);
            await journal.highest(world.id);
          }
        };
        await Promise.all([
          writing().finally(() => {
            done = true;
          }),
          reading(),
        ]);
        await checkCalm(world);
      });
      await port.close();
    },
  );

  test.each([1, 2, 3])(
    "two writers get every number once, and the loser a conflict (seed %d)",
    async (seed) => {
      const clock = fakeClock();
      const { port } = await engineFor(options, { clock, behaviour: { transactionMs: 200 } });
      const world = troubleWorld(port, options, clock);
      const random = seededRandom(seed);
      const pause = () => sleep(clock, Math.floor(random() * 300));
      await inFakeTime(clock, 5, async () => {
        const writing = async (name: string, sizes: readonly number[]) =>
          persist(await world.actor(name, port), world, sizes, { attempts: 40, beforeEach: pause });
        let done = false;
        const reading = async () => {
          const journal = await world.actor("reader", port);
          for (; !done; await sleep(clock, 31)) await journal.replay(world.id);
        };
        const writers = [writing("a", [97, 3, 1, 101, 2]), writing("b", [1, 2, 101, 1, 3])];
        const both = Promise.all(writers).finally(() => {
          done = true;
        });
        await Promise.all([both, reading()]);
        await checkCalm(world);
      });
      await port.close();
    },
    searchTimeoutMs,
  );
});
