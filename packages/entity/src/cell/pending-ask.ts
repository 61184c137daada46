import type { Clock } from "@tablekeep/core";
import type { Typed } from "../definition/decision.ts";
import type { EventOrigin } from "../definition/event-payload.ts";
import { type EntityAddress, EntityError } from "../entity-error.ts";
import type { IdentifiedCommand } from "../ledger/command-ledger.ts";

/** A command whose caller is waiting. */
export interface PendingAsk {
  readonly command: Typed;
  /** Set for commands with an id. */
  readonly identified: IdentifiedCommand | undefined;
  /** Stored with its events. */
  readonly origin: EventOrigin;
  /** When the caller stops waiting, by the monotonic clock. */
  readonly endsAt: number;
  /** Whether the caller has an answer. */
  readonly answered: boolean;
  /** Whether a write that contains its events is in flight. */
  writing: boolean;
  /** How many times another writer was first. */
  conflicts: number;
  /** Whether it may have been carried out before: then the ledger is read first. */
  maybeKnown: boolean;
  /** Whether it must be written alone, because a group that contained it could not be stored. */
  alone: boolean;
  unknownWrites: readonly UnknownWrite[];
  answer(reply: unknown): void;
  fail(error: Error): void;
}

/** The result of one command of a group, delivered once the group is stored. */
export interface GroupEntry {
  readonly ask: PendingAsk;
  readonly events: readonly Typed[];
  /** Whether the events are stored together or not at all. */
  readonly atomic: boolean;
  /** When it was decided, in milliseconds. */
  readonly decidedAt: number;
  readonly reply: unknown;
  /** Delivered instead of the reply. */
  readonly error: EntityError | undefined;
  /** Whether the ledger must store the reply. */
  readonly remember: boolean;
  /** Whether the state that it was decided on must be current. An event proves that when it is stored. */
  readonly verify: boolean;
  /** The state after the command. */
  readonly state: unknown;
}

/** A write with an unknown outcome: it may have been applied, or may still be applied, at its sequence number. */
export interface UnknownWrite {
  readonly writerUuid: string;
  /** Sequence number of its first event. */
  readonly first: number;
  /** Delivered if the write was applied. */
  readonly entry: GroupEntry;
}

/** Answers the caller. */
export function deliver({ ask, reply, error }: GroupEntry): void {
  if (error === undefined) ask.answer(reply);
  else ask.fail(error);
}

export interface AskSettings {
  readonly clock: Clock;
  readonly address: EntityAddress;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly identified: IdentifiedCommand | undefined;
  readonly origin: EventOrigin;
  /** Called once the caller has an answer. */
  readonly onAnswered: () => void;
}

/** Accepts a command. The promise settles at the answer, the deadline or the signal, whichever is first. */
export function pendingAsk(
  command: Typed,
  settings: AskSettings,
): { ask: PendingAsk; reply: Promise<unknown> } {
  const { clock, address, deadlineMs, signal } = settings;
  let resolve: (reply: unknown) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const reply = new Promise<unknown>((onReply, onError) => {
    resolve = onReply;
    reject = onError;
  });
  let answered = false;
  const end = (action: () => void) => {
    if (answered) return;
    answered = true;
    cancel();
    signal?.removeEventListener("abort", onAbort);
    action();
    settings.onAnswered();
  };
  const onAbort = () => end(() => reject(aborted(address, mayBeCarriedOut(ask), signal?.reason)));
  const onDeadline = () => end(() => reject(deadlineExceeded(address, deadlineMs, mayBeCarriedOut(ask))));
  const cancel = clock.after(deadlineMs, onDeadline);
  const ask: PendingAsk = {
    command,
    identified: settings.identified,
    origin: settings.origin,
    endsAt: clock.monotonic() + deadlineMs,
    get answered() {
      return answered;
    },
    writing: false,
    conflicts: 0,
    maybeKnown: false,
    alone: false,
    unknownWrites: [],
    answer: (value) => end(() => resolve(value)),
    fail: (error) => end(() => reject(error)),
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return { ask, reply };
}

/** Whether the command may have been carried out although its caller has no reply. */
export function mayBeCarriedOut({ writing, unknownWrites }: PendingAsk): boolean {
  return writing || unknownWrites.length > 0;
}

function consequenceOf(ambiguous: boolean): string {
  return ambiguous ? "the command may still be carried out" : "nothing was written";
}

function deadlineExceeded(address: EntityAddress, deadlineMs: number, ambiguous: boolean): EntityError {
  return new EntityError(
    "ENTITY_DEADLINE_EXCEEDED",
    `${address.entity} ${address.id}: deadline of ${deadlineMs} ms exceeded; ${consequenceOf(ambiguous)}`,
    { ...address, deadlineMs },
    { ambiguous },
  );
}

function aborted(address: EntityAddress, ambiguous: boolean, cause: unknown): EntityError {
  const message = `${address.entity} ${address.id}: aborted by the caller; ${consequenceOf(ambiguous)}`;
  return new EntityError("ENTITY_ABORTED", message, address, { ambiguous, cause });
}
