import type { DynamoPort } from "@tablekeep/core";
import * as v from "valibot";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type Journal, type JournalReader, openJournal, openJournalReader } from "../index.ts";

type CartEvent = { type: "added"; sku: string } | { type: "paid"; cents: number };

declare const port: DynamoPort;
declare const carts: Journal<CartEvent>;
declare const untyped: Journal;

test("a schema or a type parameter gives the payloads their type", async () => {
  const byZod = z.object({ type: z.literal("added"), sku: z.string() });
  const byValibot = v.object({ type: v.literal("added"), sku: v.string() });
  const added = openJournal(port, { events: byZod });
  expectTypeOf(added).toEqualTypeOf<Promise<Journal<{ type: "added"; sku: string }>>>();
  expectTypeOf(openJournal(port, { events: byValibot })).toEqualTypeOf<
    Promise<Journal<{ type: "added"; sku: string }>>
  >();
  expectTypeOf(openJournal<CartEvent>(port)).toEqualTypeOf<Promise<Journal<CartEvent>>>();
  expectTypeOf(openJournal(port)).toEqualTypeOf<Promise<Journal>>();
  expectTypeOf(openJournalReader<CartEvent>(port)).toEqualTypeOf<Promise<JournalReader<CartEvent>>>();
});

test("events have the type, read and appended", async () => {
  for await (const { payload } of carts.replay("a")) expectTypeOf(payload).toEqualTypeOf<CartEvent>();
  for await (const { payload } of untyped.replay("a")) expectTypeOf(payload).toEqualTypeOf<unknown>();
  await carts.append("a", { payload: { type: "paid", cents: 3 } }, { expected: "none" });
  // @ts-expect-error not an event of this journal
  await carts.append("a", { payload: { type: "payed" } });
  const writer = await carts.recover("a");
  await writer.append([{ payload: { type: "added", sku: "x" } }, { payload: { type: "paid", cents: 3 } }]);
  // @ts-expect-error not an event of this journal
  await writer.append([{ payload: { type: "added", sku: 7 } }]);
  // @ts-expect-error not an event of this journal
  await writer.appendEach([{ payload: { type: "added", sku: "x" } }, { payload: "x" }]);
});

test("a load has the type of the events, and a fold that of its state", async () => {
  for await (const { payload } of (await carts.load("a")).events)
    expectTypeOf(payload).toEqualTypeOf<CartEvent>();
  const { state, writer } = await carts.load("a", {
    initial: () => 0,
    evolve: (cents, payload, { sequenceNr }) => {
      expectTypeOf(payload).toEqualTypeOf<CartEvent>();
      expectTypeOf(sequenceNr).toEqualTypeOf<number>();
      return payload.type === "paid" ? cents + payload.cents : cents;
    },
  });
  expectTypeOf(state).toEqualTypeOf<number>();
  expectTypeOf(writer.append).parameter(0).not.toBeUnknown();
  // @ts-expect-error a fold begins with a state
  await carts.load("a", { evolve: () => 0 });
});

test("a typed journal goes where any journal goes", () => {
  expectTypeOf(carts).toExtend<Journal>();
});
