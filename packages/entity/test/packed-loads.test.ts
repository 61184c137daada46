import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type Fencing, journalTableSpec, openJournal, openSnapshots } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import { defineEntity, openEntities } from "../src/index.ts";
import { counter } from "./counter.ts";

const add = { type: "add", amount: 1 } as const;

const fencings: readonly Fencing[] = ["optimistic", "strict"];

describe.each(fencings)(
  "entities whose snapshots are beside the events of a packed journal (%s)",
  (fencing) => {
    const options = { layout: "packed", table: "events", fencing } as const;
    const engine = async () => {
      const port = await openEngine({ storage: { kind: "memory" } });
      await ensureTable(port, journalTableSpec(options));
      return port;
    };
    const open = async (port: DynamoPort, retention: object = {}, entity: typeof counter = counter) =>
      openEntities({
        journal: await openJournal(port, options),
        snapshots: await openSnapshots(port, { journal: options }),
        entities: [entity],
        snapshotEvery: 4,
        ...retention,
      });

    test("continue from the newest snapshot and the events after it, whatever was deleted", async () => {
      const port = await engine();
      for (const retention of [{}, { keepSnapshots: 2, deleteCoveredEvents: true }]) {
        for (let total = 1; total <= 15; total++) {
          const host = await open(port, retention);
          const id = `a-${Object.keys(retention).length}`;
          expect(await host.of(counter).ask(id, add)).toMatchObject({ total, sequenceNr: total });
          await host.idle();
          await host.close();
        }
      }
    });

    test("search an older state if the newest snapshot does not fit the definition", async () => {
      const port = await engine();
      const first = await open(port);
      for (let total = 1; total <= 10; total++) await first.of(counter).ask("a", add);
      await first.close();
      const newer = defineEntity({
        type: "counter",
        stateVersion: 2,
        initial: () => 100,
        decide: (_command: { type: "get" }, state) => ({ reply: state }),
        evolve: (state: number, event: { type: "added"; amount: number }) => state + event.amount,
      });
      const host = await open(port, {}, newer as unknown as typeof counter);
      expect(await host.of(newer as unknown as typeof counter).ask("a", { type: "get" })).toBe(110);
      await host.close();
    });

    test("take one request once the host has seen how many items such entities have", async () => {
      const port = await engine();
      for (const [snapshotEvery, more] of [
        [10, 10],
        [1000, 30],
      ] as const) {
        const host = await open(port, { snapshotEvery });
        for (let count = 0; count < more; count++) await host.of(counter).ask("long", add);
        await host.close();
      }
      await (await open(port)).of(counter).ask("short", add);
      const limits: (number | undefined)[] = [];
      const recorded = wrapPort(port, (operation, input, call, next) => {
        if (operation === "Query") limits.push((input as { Limit?: number }).Limit);
        return next(operation, input, call);
      });
      const host = await open(recorded);
      const limitsOf = async (load: () => Promise<unknown>) => {
        limits.length = 0;
        await load();
        return [...limits];
      };
      const { read, ask } = host.of(counter);
      // Under strict fencing an id has a writer item too.
      const writers = fencing === "strict" ? 1 : 0;
      expect(await limitsOf(() => read("long"))).toEqual([16, 100]);
      expect(await limitsOf(() => read("long"))).toEqual([31 + writers]);
      expect((await limitsOf(() => ask("long", { type: "get" })))[0]).toBe(31 + writers);
      for (let loads = 0; loads < 16; loads++)
        expect(await limitsOf(() => read("short"))).toEqual([31 + writers]);
      expect(await limitsOf(() => read("short"))).toEqual([2 + writers]);
      await host.close();
    });

    test("lack no event if those before a newer snapshot are deleted during the load", async () => {
      const port = await engine();
      const rare = await open(port, { snapshotEvery: 1000 });
      for (let total = 1; total <= 10; total++) await rare.of(counter).ask("a", add);
      await rare.close();
      let raced = false;
      const racing = wrapPort(port, async (operation, input, call, next) => {
        const answer = await next(operation, input, call);
        if (operation === "Query" && !raced) {
          raced = true;
          const host = await open(port, { keepSnapshots: 1, deleteCoveredEvents: true });
          await host.of(counter).ask("a", add);
          await host.idle();
          await host.close();
        }
        return answer;
      });
      const host = await open(racing);
      expect(await host.of(counter).ask("a", add)).toMatchObject({ total: 12, sequenceNr: 12 });
      expect(raced).toBe(true);
      await host.close();
    });
  },
);
