import { sleep } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
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
});
