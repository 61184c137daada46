import type { DynamoPort } from "@tablekeep/core";
import { expect, test } from "vitest";
import { counter } from "./counter.ts";
import { eventsOf, openWorld, tables } from "./entity-world.ts";

const pid = "counter|x";

/** Puts an event as the Akka plugin 1.x writes it, with Jackson JSON. `batch`: its index in an atomic write, and the last index. */
async function akkaEvent(port: DynamoPort, sequenceNr: number, batch?: readonly [number, number]) {
  const event = { type: "added", amount: 100, eventId: `akka-${sequenceNr}` };
  const Item = {
    par: { S: `journal-P-${pid}-${Math.floor(sequenceNr / 100)}` },
    num: { N: String(sequenceNr % 100) },
    persistence_id: { S: pid },
    seq: { N: String(sequenceNr) },
    event: { B: new Uint8Array(Buffer.from(JSON.stringify(event))) },
    ev_ser_id: { N: "31" },
    ev_ser_manifest: { S: "Added" },
    writer_uuid: { S: "akka-writer" },
    ...(batch !== undefined && { idx: { N: String(batch[0]) }, cnt: { N: String(batch[1]) } }),
  };
  await port.putItem({ TableName: tables.events, Item });
}

test("decides on the right state after an atomic write of Akka that was stored in part", async () => {
  const { port, stores, host } = await openWorld([counter], {
    journalOptions: { layout: "bucketed", akka: "none" },
    snapshotEvery: 2,
  });
  for (let number = 1; number <= 4; number++) await akkaEvent(port, number);
  // Of 30 events, 5 to 34, only the first request of 25 arrived. Akka continues at 30, and acknowledges it.
  for (let index = 0; index < 25; index++) await akkaEvent(port, 5 + index, [index, 29]);
  await akkaEvent(port, 30);

  const counters = host.of(counter);
  expect(await counters.ask("x", { type: "get" })).toEqual({ total: 500, events: 5 });
  for (const total of [501, 502, 503])
    expect(await counters.ask("x", { type: "add", amount: 1 })).toMatchObject({ total });
  await host.idle();
  await host.close();

  const again = await openWorld([counter], { port, journalOptions: { layout: "bucketed", akka: "none" } });
  expect(await again.host.of(counter).ask("x", { type: "get" })).toEqual({ total: 503, events: 8 });
  const numbers = (await eventsOf(stores.journal, pid)).map(({ sequenceNr }) => sequenceNr);
  expect(numbers).toEqual([1, 2, 3, 4, 30, 31, 32, 33]);
  await again.host.close();
});
