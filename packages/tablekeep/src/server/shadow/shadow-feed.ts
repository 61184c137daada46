import type { Clock, Item, Key, Logger } from "@tablekeep/core";
import {
  type ChangeFeed,
  changeFeed,
  type ItemChange,
  type ShadowManager,
  type ShadowName,
  storedChanges,
} from "@tablekeep/shadow";
import type { Backend } from "../backend/open-backend.ts";
import { readOtherHalves } from "./other-halves.ts";
import { OwnChanges } from "./own-changes.ts";
import { PolledChanges } from "./polled-changes.ts";
import { StreamChanges, type StreamChangesOptions } from "./stream-changes.ts";
import { announceUnserved, type UnservedChange } from "./unserved-changes.ts";

/** The changes of one store of shadows. */
export interface ShadowFeed extends Omit<ChangeFeed, "publish"> {
  /** The manager whose writes are announced: all requests go through it. */
  readonly manager: ShadowManager;
  /** Whether changes arrive after the response to their request. @default false: before it */
  readonly isLate?: boolean;
  /** Starts the changes, once all listeners are registered. @default they have started */
  start?(): Promise<void>;
  close(): void | Promise<void>;
}

/** Dependencies of a feed. */
export interface ShadowFeedOptions {
  readonly table: string;
  readonly manager: ShadowManager;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The changes that commands made while no server was running, for the sessions of a broker. */
export interface UnservedOptions {
  /** The name of the broker. */
  readonly broker: string;
  /** Resolves once all consequences of the changes so far are stored. */
  readonly settled: () => Promise<void>;
}

/**
 * Every change to a store's shadows. On the embedded engine these are the committed writes to its table, whichever
 * connection they come from, once each and in order, even when the caller of the write has aborted. Behind a port
 * of the caller only the writes of this server are known.
 */
export function shadowFeed(
  { engine }: Pick<Backend, "engine">,
  options: ShadowFeedOptions,
  unserved?: UnservedOptions,
): ShadowFeed {
  const { table, manager, clock, logger } = options;
  const onFailure = (error: unknown) => logger.error("could not announce a shadow change", { error });
  const feed = changeFeed(onFailure);
  const { listen, watch } = feed;
  if (engine === undefined) {
    const own = new OwnChanges(feed, options);
    return { manager: own.manager(), listen, watch, close: () => own.close() };
  }
  const announce = (items: readonly ItemChange[], read: (key: Key) => Item | undefined, at: number) => {
    try {
      const { policy } = manager;
      const now = BigInt(at) * 1_000_000n;
      for (const change of storedChanges(items, { read, policy, now })) feed.publish(change);
    } catch (error) {
      onFailure(error);
    }
  };
  const close = engine.watch(table, (items, read) => announce(items, read, clock.now()));
  const start = async () => {
    if (unserved === undefined) return;
    const { broker, settled } = unserved;
    const announceOne = async ({ items, at }: UnservedChange) => {
      const keys = items.map(({ before, after }) => after ?? before ?? {});
      announce(items, await readOtherHalves(engine, table, keys), at);
    };
    await announceUnserved({ port: engine, table, broker, clock }, announceOne, settled);
  };
  return { manager, listen, watch, start, close };
}

/**
 * The changes to a store's shadows behind a port of the caller without a stream: those of this server at once, and those of other writers by
 * reading the whole table at intervals.
 */
export function polledFeed(options: ShadowFeedOptions & { readonly everyMs: number }): ShadowFeed {
  const { manager, everyMs, clock, logger } = options;
  const feed = changeFeed((error) => logger.error("could not announce a shadow change", { error }));
  const own = new OwnChanges(feed, options);
  const isWriting = (shadow: ShadowName) => own.isWriting(shadow);
  const polled = new PolledChanges(feed, { manager, isWriting, everyMs, clock, logger });
  const { listen, watch } = feed;
  return {
    manager: own.manager(),
    listen,
    watch,
    start: async () => polled.start(),
    async close() {
      own.close();
      await polled.close();
    },
  };
}

/** Dependencies of a feed that reads the stream of its table. */
export interface StreamFeedOptions extends ShadowFeedOptions, Omit<StreamChangesOptions, "manager"> {}

/**
 * Every change to a store's shadows behind a port of the caller, from the stream of the table: by this server, by other servers, and by any
 * other writer. Its start fails if the table has no suitable stream.
 */
export function streamFeed(options: StreamFeedOptions): ShadowFeed {
  const { manager, logger } = options;
  const feed = changeFeed((error) => logger.error("could not announce a shadow change", { error }));
  const changes = new StreamChanges(feed, options);
  const { listen, watch } = feed;
  return {
    manager,
    listen,
    watch,
    isLate: true,
    start: () => changes.start(),
    close: () => changes.close(),
  };
}
