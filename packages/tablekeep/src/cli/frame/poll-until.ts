import { isTablekeepError, sleep, systemClock } from "@tablekeep/core";
import type { Command } from "commander";
import { parseRate } from "./add-command.ts";
import { CliError } from "./cli-error.ts";

/** How long a command waits. */
export interface WaitFlags {
  readonly timeout: number;
  readonly interval: number;
}

/** Adds the options of a command that waits. */
export function addWaitOptions(command: Command): Command {
  return command
    .option("--timeout <seconds>", "maximum time to wait", parseRate, 30)
    .option("--interval <seconds>", "polling interval", parseRate, 1);
}

/** Options of a request of `find`. */
export interface PollCall {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/** The time of a request that is sent shortly before the end. */
const minMs = 2_000;

/** What a command waits for. */
export interface Wanted<Found> {
  /** Returns what the command waits for; undefined if it does not exist yet. */
  find(call: PollCall): Promise<Found | undefined>;
  /** What is missing, for the message: `no event 7 of "cart-1"`. */
  missing(): string;
  /** Why waiting is hopeless, and what to do; undefined if it is not. */
  hopeless(): string | undefined;
  readonly signal: AbortSignal;
}

/** Calls `find` at intervals until it returns something. Throws `CLI_WAIT_TIMED_OUT` at the end of the time, or as soon as waiting is hopeless. */
export async function pollUntil<Found>(
  wanted: Wanted<Found>,
  { timeout, interval }: WaitFlags,
): Promise<Found> {
  const { signal } = wanted;
  const endsAt = systemClock.monotonic() + timeout * 1000;
  const leftMs = () => endsAt - systemClock.monotonic();
  for (;;) {
    const deadlineMs = Math.max(minMs, Math.ceil(leftMs()));
    const found = await wanted.find({ signal, deadlineMs }).catch((error: unknown) => {
      if (leftMs() > 0 || !isLate(error)) throw error;
      return undefined;
    });
    if (found !== undefined) return found;
    const reason = wanted.hopeless() ?? (leftMs() > 0 ? undefined : within(timeout));
    if (reason !== undefined) throw new CliError("CLI_WAIT_TIMED_OUT", `${wanted.missing()} ${reason}`);
    await sleep(systemClock, Math.min(interval * 1000, leftMs()), signal).catch((error: unknown) => {
      throw new CliError("CLI_ABORTED", "interrupted", error);
    });
  }
}

/** `within 5 seconds`: the end of a message about something that did not happen in time. */
export function within(seconds: number): string {
  return `within ${seconds} ${seconds === 1 ? "second" : "seconds"}`;
}

/** The reason of {@link Wanted.hopeless} for a folder that only this process has open: no other can write to it. */
export function unserved(isExclusive: boolean): string | undefined {
  return isExclusive ? '(no process serves the folder: start "tablekeep serve")' : undefined;
}

/**
 * Throws for a folder that only this process has open: nothing can change there, and a command that waited would keep `serve` from
 * starting. `instead` is the command that prints what is stored.
 */
export function requireServed(isExclusive: boolean, instead: string): void {
  if (!isExclusive) return;
  throw new CliError(
    "CLI_NOT_SERVED",
    `no process serves the folder, so nothing in it can change: start "tablekeep serve" first, or print what is stored with "tablekeep ${instead}"`,
  );
}

function isLate(error: unknown): boolean {
  return isTablekeepError(error) && error.code.endsWith("_DEADLINE_EXCEEDED");
}
