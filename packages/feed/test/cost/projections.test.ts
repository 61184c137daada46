/** Counts what the positions of a projection cost, and compares it with docs/reference/projections.md. */
import { readFileSync } from "node:fs";
import { ensureTable, metered } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { expect, test } from "vitest";
import { openFeed } from "../../src/index.ts";
import {
  defineProjection,
  openProjections,
  projectionTableSpec,
  runProjections,
} from "../../src/projections/index.ts";

const events = 1000;

test("positions cost two write units per group of 100 events in a transaction, and one without", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, journalTableSpec());
  await ensureTable(engine, projectionTableSpec());
  await ensureTable(engine, { name: "totals", partitionKey: { name: "id", type: "S" } });
  const journal = await openJournal(engine);
  for (let at = 0; at < events / 50; at++)
    unwrap(
      await journal.append(
        "one",
        Array.from({ length: 50 }, () => ({ payload: at })),
      ),
    );
  await (await openFeed(engine, { slices: 1 })).catchUp();
  const total = defineProjection({
    name: "total",
    handle: (_event, tx) => tx.update("totals", { id: { S: "all" } }, { add: { n: { N: "1" } } }),
  });
  const seen = defineProjection({ name: "seen", mode: "at-least-once", handle: () => {} });
  const control = await openProjections(engine);
  const counted: Record<string, number> = {};
  for (const projection of [total, seen]) {
    const { port, meter } = metered(engine, { capacity: true });
    {
      await using run = await runProjections(port, [projection], { sequencer: false });
      await run.reached(projection, { persistenceId: "one", sequenceNr: events });
    }
    const { byOperation } = meter.reset();
    const { UpdateItem, TransactWriteItems } = byOperation;
    if (projection === total) {
      expect(TransactWriteItems?.requests).toBe(events / 100);
      // Half of it is the handler's item, which all events of a group share.
      counted["exactly-once"] = (TransactWriteItems?.writeUnits ?? 0) / 2 / (events / 100);
    } else {
      // The claim, the release and the creation are updates too.
      const others = (UpdateItem?.requests ?? 0) - events / 100;
      expect(others).toBeLessThanOrEqual(3);
      counted["at-least-once"] = ((UpdateItem?.writeUnits ?? 0) - others) / (events / 100);
    }
    expect((await control.status(projection.name)).lagEvents).toBe(0);
  }
  expect(counted).toEqual({ "exactly-once": 2, "at-least-once": 1 });
  expect((counted["exactly-once"] ?? 1) / 100).toBeLessThanOrEqual(0.05);
  const page = readFileSync(new URL("../../../../docs/reference/projections.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| a position, `([\w-]+)` \| (\d+) per group/gm)];
  expect(Object.fromEntries(listed.map(([, mode, units]) => [mode, Number(units)]))).toEqual(counted);
});
