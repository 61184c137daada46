import { sleep } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { checkCalm, engineFor, faultWorld, inFakeTime, named } from "./fault-world.ts";
import { persist } from "./persist.ts";
import { scale, searchTimeoutMs } from "./scale.ts";

/** Long enough for another to take the id over, write and read while the items of one transaction become visible. */
const transactionMs = 1000;

/** Into how many parts of that time the others come: once before any item is visible, and so on. */
const points = 7;

describe.each(named)(
  "%s: another comes while a transaction becomes visible item by item,",
  (_name, options) => {
    /** One writes `size` events; a moment later another takes over and writes, one reads, and one deletes. */
    const story = async (size: number, afterMs: number, seed: number) => {
      const clock = fakeClock();
      const behavior = { transactionMs, transactionOrder: "any", seed } as const;
      const { port } = await engineFor(options, { clock, behavior });
      const world = faultWorld(port, options, clock);
      await inFakeTime(clock, 10, async () => {
        const first = await (await world.actor("first", port)).recover(world.id);
        await first.append(world.texts(97));
        const appending = first.append(world.texts(size));
        await sleep(clock, afterMs);
        const reading = async () => {
          const journal = await world.actor("reader", port);
          await journal.highest(world.id);
          await journal.replay(world.id);
          await journal.highest(world.id);
        };
        await Promise.all([persist(await world.actor("other", port), world, [2, 1]), reading()]);
        expect((await appending).kind).toMatch(/^(ok|conflict|unknown)$/);
        await (await world.actor("deleter", port)).deleteTo(world.id, 97 + size);
        await checkCalm(world, [1, 2]);
        await port.close();
      });
    };

    test.each([1, 3, 5, 101])(
      "at any point of a write of %d: all is as it should be",
      async (size) => {
        for (let seed = 1; seed <= scale; seed++) {
          for (let point = 0; point <= points; point++)
            await story(size, (transactionMs * point) / points, seed);
        }
      },
      searchTimeoutMs,
    );
  },
);
