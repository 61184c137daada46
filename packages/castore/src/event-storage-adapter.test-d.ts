/** The adapter is one of castore's, and its event stores keep their types on it. */
import { EventStore, EventType, isEventAlreadyExistsError } from "@castore/core";
import type { DynamoPort } from "@tablekeep/core";
import type { Journal } from "@tablekeep/journal";
import { type TablekeepEventAlreadyExistsError, TablekeepEventStorageAdapter } from "./index.ts";

declare const port: DynamoPort;
declare const journal: Journal<{ type: string; payload?: unknown }>;

const carts = new EventStore({
  eventStoreId: "carts",
  eventTypes: [new EventType<"ADDED", { item: string }>({ type: "ADDED" })],
  eventStorageAdapter: new TablekeepEventStorageAdapter({ port, table: "events" }),
  reducer: (_cart, { aggregateId, version }) => ({ aggregateId, version }),
});
carts.eventStorageAdapter = new TablekeepEventStorageAdapter(journal, {});

const { events } = await carts.getEvents("cart-1", { reverse: true });
export const item: string | undefined = events[0]?.payload.item;
await carts.pushEvent({ aggregateId: "cart-1", version: 1, type: "ADDED", payload: { item: "apple" } });
// @ts-expect-error An event type that the store does not have.
await carts.pushEvent({ aggregateId: "cart-1", version: 1, type: "REMOVED" });
// @ts-expect-error A port needs its journal's options beside it.
export const misspelled = new TablekeepEventStorageAdapter({ port, tabel: "events" });

declare const error: TablekeepEventAlreadyExistsError;
if (isEventAlreadyExistsError(error)) error.version satisfies number;
