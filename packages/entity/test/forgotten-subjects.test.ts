import { ensureTable } from "@tablekeep/client";
import { openJournal, openSnapshots } from "@tablekeep/journal";
import { encryptedCodecs, keyTableSpec, openKeyStore } from "@tablekeep/journal/encryption";
import { expect, test } from "vitest";
import { defineEntity, openEntities } from "../src/index.ts";
import { engineForEntities, tables } from "./entity-world.ts";

interface Moved {
  readonly type: "moved";
  readonly customer?: string;
}

/** Counts its events. Some are about a customer. */
const order = defineEntity({
  type: "order",
  initial: () => ({ events: 0 }),
  decide: (command: { type: "move"; customer?: string }, { events }) => ({
    events: { type: "moved", ...(command.customer !== undefined && { customer: command.customer }) },
    reply: events + 1,
  }),
  evolve: ({ events }: { events: number }, _event: Moved) => ({ events: events + 1 }),
});

test("events about a forgotten subject are rejected, skipped by a load, and do not affect other commands", async () => {
  const port = await engineForEntities({ layout: "packed" });
  await ensureTable(port, keyTableSpec("keys"));
  const keys = openKeyStore(port, { table: "keys", cacheMs: 0 });
  const subjectOf = ({ content }: { content: unknown }) => (content as { customer?: string }).customer;
  const options = {
    table: tables.events,
    layout: "packed",
    codecs: encryptedCodecs({ keys, subjectOf }),
  } as const;
  const open = async () =>
    openEntities({
      journal: await openJournal(port, options),
      snapshots: await openSnapshots(port, { journal: options }),
      entities: [order],
    });
  const host = await open();
  const about = { type: "move", customer: "customer-17" } as const;
  expect(await host.of(order).ask("a", { type: "move" })).toBe(1);
  expect(await host.of(order).ask("a", about)).toBe(2);
  await keys.forget("customer-17");
  const [before, wrong, after] = await Promise.allSettled([
    host.of(order).ask("a", { type: "move" }),
    host.of(order).ask("a", about),
    host.of(order).ask("a", { type: "move" }),
  ]);
  expect(wrong).toMatchObject({
    reason: {
      code: "ENTITY_SUBJECT_FORGOTTEN",
      kind: "invalid",
      ambiguous: false,
      retryable: false,
      details: { entity: "order", id: "a", subject: "customer-17" },
    },
  });
  expect([before, after]).toMatchObject([{ value: 3 }, { value: 4 }]);
  // Its event no longer has a payload.
  expect(await (await open()).of(order).read("a")).toEqual({ state: { events: 3 }, sequenceNr: 4 });
});
