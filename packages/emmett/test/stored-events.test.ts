import type { Event, ReadEvent } from "@event-driven-io/emmett";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { added } from "./cart.ts";
import { collect, engineStore } from "./engine-store.ts";

const stream = "cart-1";
type Traced = Event<"Traced", { at: number }, Record<string, unknown>>;
const traced = (metadata: Record<string, unknown>): Traced => ({
  type: "Traced",
  data: { at: 1 },
  metadata,
});

describe("a reader of the journal sees an event of emmett", () => {
  test("with type and data as its payload, and a uuid as its id", async () => {
    const { store, journal } = await engineStore();
    await store.appendToStream(stream, [added()]);
    const [event] = await collect(journal.replay(stream));
    expect(event).toMatchObject({ sequenceNr: 1, persistenceId: stream, payload: added() });
    expect(event?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(event?.metadata).toBeUndefined();
  });

  test("with ids as ids, and all other metadata as metadata", async () => {
    const { store, journal } = await engineStore();
    await store.appendToStream(stream, [
      traced({ messageId: "m", correlationId: "c", causationId: "d", tenant: "t" }),
      traced({ messageId: 7, correlationId: "", causationId: 8 }),
    ]);
    const [first, second] = await collect(journal.replay(stream));
    expect(first).toMatchObject({ id: "m", correlationId: "c", causationId: "d", metadata: { tenant: "t" } });
    expect(second).toMatchObject({ metadata: { correlationId: "", causationId: 8 } });
    expect(second?.correlationId).toBeUndefined();
    const { events } = await store.readStream<Traced>(stream);
    expect(events.map(({ metadata }) => metadata)).toEqual([
      {
        messageId: "m",
        correlationId: "c",
        causationId: "d",
        tenant: "t",
        streamName: stream,
        streamPosition: 1n,
      },
      {
        messageId: second?.id,
        correlationId: "",
        causationId: 8,
        streamName: stream,
        streamPosition: 2n,
      },
    ]);
  });

  test("with the kind of a command", async () => {
    const { store, journal } = await engineStore();
    await store.appendToStream(stream, [
      { ...added(), kind: "Command" } as unknown as Event,
      { ...added(), kind: "Event" },
    ]);
    const payloads = (await collect(journal.replay(stream))).map(({ payload }) => payload);
    expect(payloads).toEqual([{ ...added(), kind: "Command" }, added()]);
    const kinds = (await store.readStream(stream)).events.map(({ kind }) => kind);
    expect(kinds).toEqual(["Command", "Event"]);
  });

  test("that a schema validates", async () => {
    const events = z.object({ type: z.literal("LineAdded"), data: z.object({ line: z.looseObject({}) }) });
    const { store } = await engineStore({ events });
    await store.appendToStream(stream, [added()]);
    await expect(store.appendToStream(stream, [traced({})])).rejects.toMatchObject({
      code: "JOURNAL_EVENT_INVALID",
    });
  });
});

test("an event that was read may be appended to another stream, and keeps its message id", async () => {
  const { store } = await engineStore();
  await store.appendToStream(stream, [traced({ tenant: "t" })]);
  const [read] = (await store.readStream<Traced>(stream)).events as [ReadEvent<Traced>];
  await store.appendToStream<Traced>("copy", [read]);
  expect((await store.readStream("copy")).events).toEqual([
    { ...read, metadata: { ...read.metadata, streamName: "copy" } },
  ]);
});

test("an event of another writer is an error, not skipped", async () => {
  const { store, journal } = await engineStore();
  await journal.append(stream, { payload: { type: "Known", data: {} }, metadata: { a: 1 } });
  expect((await store.readStream(stream)).events).toMatchObject([{ type: "Known", metadata: { a: 1 } }]);
  await journal.append("other", { payload: { added: "apple" } });
  await journal.append("third", { payload: { type: "Known", data: {} }, metadata: "text" });
  for (const streamName of ["other", "third"])
    await expect(store.readStream(streamName)).rejects.toMatchObject({
      code: "EMMETT_EVENT_UNEXPECTED",
      details: { streamName, streamPosition: 1n },
    });
});
