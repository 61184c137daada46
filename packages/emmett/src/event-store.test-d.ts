/** The store is one of emmett's, for its command handlers and their types. */
import {
  CommandHandler,
  type Event,
  type EventStore,
  type EventStoreReadEventMetadata,
  STREAM_DOES_NOT_EXIST,
  type StreamPositionTypeOfEventStore,
} from "@event-driven-io/emmett";
import type { Journal } from "@tablekeep/journal";
import { getTablekeepEventStore, type TablekeepEventStore } from "./index.ts";

type Added = Event<"Added", { item: string }, { tenant: string }>;
declare const journal: Journal<{ type: string; data: unknown }>;

export const store: TablekeepEventStore = getTablekeepEventStore(journal);
export const asStoreOfEmmett = (given: TablekeepEventStore): EventStore => given;
export const position: StreamPositionTypeOfEventStore<TablekeepEventStore> = 1n;

const { events, currentStreamVersion } = await store.readStream<Added>("cart-1");
export const version: bigint = currentStreamVersion;
export const read: readonly [string | undefined, string | undefined, bigint | undefined] = [
  events[0]?.data.item,
  events[0]?.metadata.tenant,
  events[0]?.metadata.streamPosition,
];
declare const metadata: EventStoreReadEventMetadata<TablekeepEventStore>;
// @ts-expect-error There is no position across streams.
export const globalPosition: unknown = metadata.globalPosition;

const handle = CommandHandler<number, Added>({ initialState: () => 0, evolve: (count) => count + 1 });
export const next: bigint = (
  await handle(
    store,
    "cart-1",
    () => ({ type: "Added", data: { item: "apple" }, metadata: { tenant: "t" } }),
    {
      expectedStreamVersion: STREAM_DOES_NOT_EXIST,
      alsoWrite: [],
    },
  )
).nextExpectedStreamVersion;

// @ts-expect-error A version is a bigint.
await store.appendToStream<Added>("cart-1", [], { expectedStreamVersion: 1 });
// @ts-expect-error emmett has no such hook of an event store.
getTablekeepEventStore(journal, { hooks: { onBeforeCommit: () => undefined } });
