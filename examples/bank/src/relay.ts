import { setTimeout as pause } from "node:timers/promises";
import type { DynamoPort } from "@tablekeep/core";
import type { EntityHost } from "@tablekeep/entity";
import { type AccountCommand, account } from "./account.ts";
import { type Message, remove, shards, waitingIn } from "./outbox.ts";
import { type TransferCommand, transfer } from "./transfer.ts";

/** Delivers the messages of the outbox, until it is stopped. */
export interface Relay {
  /** Resolves once the delivery in progress is done. */
  stop(): Promise<void>;
}

/**
 * Starts a relay. Any number may run at the same time, in any process: a message is delivered at least once, and carried out
 * once, because its id is the command id. It is removed only after the receiver has stored its events.
 */
export function startRelay(
  port: DynamoPort,
  host: EntityHost<typeof account | typeof transfer>,
  { pollMs = 100, onError = () => undefined }: { pollMs?: number; onError?: (error: unknown) => void } = {},
): Relay {
  const stopping = new AbortController();
  const deliver = async (message: Message) => {
    const { id: commandId, target, command } = message;
    // The entity validates the command.
    if (message.to === "account")
      await host.of(account).ask(target, command as AccountCommand, { commandId });
    else await host.of(transfer).ask(target, command as TransferCommand, { commandId });
    await remove(port, message);
  };
  const round = async (): Promise<number> => {
    const waiting = (await Promise.all(shards.map((shard) => waitingIn(port, shard)))).flat();
    const ends = await Promise.allSettled(waiting.map(deliver));
    // What failed stays in the outbox, for the next round or another relay.
    for (const end of ends) if (end.status === "rejected") onError(end.reason);
    return ends.filter(({ status }) => status === "fulfilled").length;
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      const delivered = await round().catch((error: unknown) => {
        onError(error);
        return 0;
      });
      if (delivered === 0) await pause(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
