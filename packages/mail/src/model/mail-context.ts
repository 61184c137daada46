import type { CallOptions, DynamoPort } from "@tablekeep/core";
import type { Background } from "./background-work.ts";
import type { ResolvedMailOptions } from "./mail-options.ts";
import type { MailSummary } from "./message.ts";
import type { StoreMemory } from "./search-memory.ts";

/** What every part of a mail store depends on. */
export interface MailContext extends ResolvedMailOptions {
  readonly port: DynamoPort;
  /** What this store keeps in memory for counts and searches. */
  readonly memory: StoreMemory;
  /** Work that no call waits for except `close`. */
  readonly background: Background;
  /** Called once for each message that this store has committed. */
  readonly onCommitted: (summary: MailSummary) => void;
  /** Called when this store learns that all messages were deleted, by this instance or another. */
  readonly onCleared: (era: string) => void;
}

/** The signal and the remaining deadline of one call on a store, with its clock and source of randomness. */
export interface MailCall extends CallOptions {
  readonly clock: MailContext["clock"];
  readonly random: MailContext["random"];
}

/** The deadline covers the whole call: `deadlineMs` is always the remaining time. */
export function mailCall(
  context: Pick<MailContext, "clock" | "random" | "deadlineMs">,
  { signal, deadlineMs }: CallOptions = {},
): MailCall {
  const { clock, random } = context;
  const endsAt = clock.monotonic() + (deadlineMs ?? context.deadlineMs);
  return {
    clock,
    random,
    signal,
    get deadlineMs() {
      return Math.max(1, endsAt - clock.monotonic());
    },
  };
}

/** For work that grows with the mailbox: the caller's deadline covers the call, the default deadline each request. */
export function longMailCall(context: MailContext, options: CallOptions = {}): MailCall {
  if (options.deadlineMs !== undefined) return mailCall(context, options);
  const { clock, random, deadlineMs } = context;
  return { clock, random, deadlineMs, signal: options.signal };
}

/** Clocks that differ by less are taken to agree: dates in responses have whole seconds. */
const tolerableMs = 30_000;

/** By how many milliseconds the server's clock is ahead of this machine's, as far as it matters and is known. */
export function serverAheadMs({ port }: Pick<MailContext, "port">): number {
  const ahead = port.serverOffsetMs?.() ?? 0;
  return Math.abs(ahead) > tolerableMs ? ahead : 0;
}

/** The time by the server's clock, in milliseconds since 1970: all instances on a table agree on it. */
export function sharedNow(context: Pick<MailContext, "clock" | "port">): number {
  return context.clock.now() + serverAheadMs(context);
}

/** The time in seconds at which a message of this time expires. */
export function expiryOf(context: Pick<MailContext, "ttlDays">, ms: number): number {
  return Math.floor(ms / 1000) + context.ttlDays * 86_400;
}

/** Whether an item with this expiry is visible to readers. DynamoDB removes it up to days later. */
export function isLive(context: Pick<MailContext, "clock">, expires: number): boolean {
  return expires > Math.floor(context.clock.now() / 1000);
}
