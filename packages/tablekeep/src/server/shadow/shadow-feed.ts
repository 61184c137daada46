import type { Clock, Logger } from "@tablekeep/core";
import { type ChangeFeed, changeFeed, type ShadowManager, storedChanges } from "@tablekeep/shadow";
import type { Backend } from "../open-backend.ts";

/** The changes of one store of shadows. */
export interface ShadowFeed extends Omit<ChangeFeed, "publish"> {
  close(): void;
}

/** What a feed reads. */
export interface ShadowFeedOptions {
  readonly table: string;
  readonly manager: ShadowManager;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Every change of a store's shadows. On the embedded engine these are the committed writes to its table, whichever
 * connection they come by, once each and in their order, also when the caller of the write has given up. Behind a port
 * of the caller's only the writes of this server are known.
 */
export function shadowFeed(
  { engine }: Pick<Backend, "engine">,
  { table, manager, clock, logger }: ShadowFeedOptions,
): ShadowFeed {
  if (engine === undefined) return { listen: manager.onChange, watch: manager.watch, close() {} };
  const onFailure = (error: unknown) => logger.error("a change of a shadow was not announced", { error });
  const feed = changeFeed(onFailure);
  const close = engine.watch(table, (items, read) => {
    try {
      const now = BigInt(clock.now()) * 1_000_000n;
      const { policy } = manager;
      for (const change of storedChanges(items, { read, policy, now })) feed.publish(change);
    } catch (error) {
      onFailure(error);
    }
  });
  return { listen: feed.listen, watch: feed.watch, close };
}
