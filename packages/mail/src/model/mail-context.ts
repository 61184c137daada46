import type { CallOptions, DynamoPort } from "@tablekeep/core";
import type { Background } from "./background.ts";
import type { MailSummary } from "./mail.ts";
import type { ResolvedMailOptions } from "./mail-options.ts";

/** What every part of a mail store works with. */
export interface MailContext extends ResolvedMailOptions {
  readonly port: DynamoPort;
  /** Work that no call waits for except `close`. */
  readonly background: Background;
  /** Called once for each message that this store has committed. */
  readonly onCommitted: (summary: MailSummary) => void;
}

/** The signal and what is left of the deadline of one call on a store, and the time and chance that it goes by. */
export interface MailCall extends CallOptions {
  readonly clock: MailContext["clock"];
  readonly random: MailContext["random"];
}

/** The deadline is that of the whole call: whenever `deadlineMs` is read, it is what is left. */
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

/** For work as long as the mailbox: a deadline that the caller names is that of the whole, ours that of each request. */
export function longMailCall(context: MailContext, options: CallOptions = {}): MailCall {
  if (options.deadlineMs !== undefined) return mailCall(context, options);
  const { clock, random, deadlineMs } = context;
  return { clock, random, deadlineMs, signal: options.signal };
}

/** The second that a message of this moment expires at. */
export function expiryOf(context: Pick<MailContext, "ttlDays">, ms: number): number {
  return Math.floor(ms / 1000) + context.ttlDays * 86_400;
}

/** Whether something with this expiry is still there for readers. DynamoDB removes it up to days later. */
export function isLive(context: Pick<MailContext, "clock">, expires: number): boolean {
  return expires > Math.floor(context.clock.now() / 1000);
}
