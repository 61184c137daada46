import { getEventListeners } from "node:events";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { journalTableSpec, openJournal, openSnapshots, snapshotTableSpec, unwrap } from "../src/index.ts";

/** What a signal holds: listeners, and the signals that `AbortSignal.any` made of it, which Node 20 never removes. */
function heldBy(signal: AbortSignal): number {
  const dependants = Object.getOwnPropertySymbols(signal).find(({ description }) =>
    description?.includes("ependantSignals"),
  );
  const signals = dependants && (Reflect.get(signal, dependants) as { readonly size: number } | undefined);
  return getEventListeners(signal, "abort").length + (signals?.size ?? 0);
}

test.each(["packed", "bucketed", "linear", "scattered"] as const)(
  "a signal that is used for many calls to a %s journal holds nothing of them",
  async (layout) => {
    await using port = await openEngine({ storage: { kind: "memory" } });
    await ensureTable(port, journalTableSpec({ layout }));
    await ensureTable(port, snapshotTableSpec());
    const journal = await openJournal(port, { layout });
    await using snapshots = await openSnapshots(port, { journal, table: snapshotTableSpec().name });
    const { signal } = new AbortController();
    const writer = await journal.recover("a", { signal });
    for (let at = 0; at < 4; at++)
      unwrap(
        await writer.append(
          Array.from({ length: 60 }, (_, n) => ({ payload: { n } })),
          { signal },
        ),
      );
    await snapshots.save("a", 240, "x".repeat(900_000), { signal });
    for (let round = 0; round < 3; round++) {
      let count = 0;
      for await (const _event of journal.replay("a", { signal })) count++;
      expect(count).toBe(240);
      for await (const _event of journal.replay("a", { signal })) break;
      expect((await snapshots.load("a", {}, { signal }))?.sequenceNr).toBe(240);
    }
    expect(heldBy(signal)).toBe(0);
  },
);
