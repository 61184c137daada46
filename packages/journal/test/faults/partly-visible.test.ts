import { DynamoError, type DynamoPort, type Item, sleep, wrapPort } from "@tablekeep/core";
import { fakeClock, seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { checkCalm, engineFor, faultWorld, inFakeTime, itemsOf, named } from "./fault-world.ts";
import { persist } from "./persist.ts";
import { searchTimeoutMs } from "./scale.ts";

/** Items become visible in any order: DynamoDB promises none. */
const transactionOrder = "any";

/** The port, where the answer to the first transaction does not come, and its caller hears so at once. */
function withoutFirstAnswer(port: DynamoPort): DynamoPort {
  let isFirst = true;
  return wrapPort(port, async (operation, input, call, next) => {
    if (operation !== "TransactWriteItems" || !isFirst) return next(operation, input, call);
    isFirst = false;
    void next(operation, input, {}).catch(() => undefined);
    throw new DynamoError({ exception: "InternalServerError", serviceMessage: "lost", operation });
  });
}

/** The events of an id that a table contains. */
async function rowsOf(port: DynamoPort, id: string): Promise<Item[]> {
  return (await itemsOf(port, id)).filter((item) => ("crc" in item || "sum" in item) && !("tomb" in item));
}

/** How many events some items hold: in the packed layout several each. */
function eventsIn(items: readonly Item[]): number {
  return items.reduce((total, { events }) => total + Number(events?.N ?? 1), 0);
}

describe.each(named)("%s: while the items of a transaction become visible one by one", (_name, options) => {
  test.each([1, 5, 101])(
    "replays see a write of %d whole or not at all, and writers are not disturbed",
    async (size) => {
      const clock = fakeClock();
      const { port } = await engineFor(options, {
        clock,
        behavior: { transactionMs: 200, transactionOrder },
      });
      const world = faultWorld(port, options, clock);
      await inFakeTime(clock, 5, async () => {
        const writing = async () => {
          const writer = await (await world.actor("writer", port)).recover(world.id);
          for (const each of [97, size, 1, size]) {
            expect(await writer.append(world.texts(each))).toMatchObject({ kind: "ok" });
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
      const behavior = { transactionMs: 200, transactionOrder, seed } as const;
      const { port } = await engineFor(options, { clock, behavior });
      const world = faultWorld(port, options, clock);
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

  test.each([1, 5, 101])(
    "a write of %d whose answer is lost is acknowledged when all of it can be read",
    async (size) => {
      const clock = fakeClock();
      const behavior = { transactionMs: 2000, transactionOrder, seed: size } as const;
      const { port } = await engineFor(options, { clock, behavior });
      const world = faultWorld(port, options, clock);
      await inFakeTime(clock, 5, async () => {
        const writer = await (await world.actor("writer", withoutFirstAnswer(port))).recover(world.id);
        expect(await writer.append(world.texts(size))).toMatchObject({ kind: "ok" });
        expect(eventsIn(await rowsOf(port, world.id))).toBe(size);
        await checkCalm(world, [1]);
        await port.close();
      });
    },
  );

  test.each([1, 2, 3, 4])("a delete and a purge leave nothing behind (seed %d)", async (seed) => {
    const clock = fakeClock();
    const behavior = { transactionMs: 1000, transactionOrder, seed } as const;
    const { port } = await engineFor(options, { clock, behavior });
    const world = faultWorld(port, options, clock);
    await inFakeTime(clock, 5, async () => {
      const journal = await world.open(port);
      const isKnown = async (highest: number) => {
        while ((await journal.highestSequenceNr(world.id)) < highest) await sleep(clock, 7);
      };
      const first = await (await world.actor("a", port)).recover(world.id);
      const size = seed % 2 === 0 ? 7 : 101;
      const deleted = first.append(world.texts(size));
      await isKnown(size);
      await journal.deleteTo(world.id, 1000);
      await deleted;
      expect(await rowsOf(port, world.id)).toEqual([]);
      await journal.purge(world.id);
      expect(await itemsOf(port, world.id)).toEqual([]);
      const second = await (await world.open(port)).recover(world.id);
      const purged = second.append(world.texts(7).map((payload) => ({ payload })));
      await isKnown(7);
      await journal.purge(world.id);
      await purged;
      // A surplus row in the registry is harmless.
      const left = (await itemsOf(port, world.id)).filter((item) => !("persistence_id" in item));
      expect(left).toEqual([]);
      await port.close();
    });
  });
});
