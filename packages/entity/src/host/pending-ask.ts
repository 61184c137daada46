import type { Clock } from "@tablekeep/core";
import type { Typed } from "../definition/decision.ts";
import { EntityError, type EntityPlace } from "../entity-error.ts";
import type { IdentifiedCommand } from "../ledger/command-ledger.ts";
import type { GroupEntry } from "./group-entry.ts";

/** A write of whose fate nothing is known: it may have landed, or may still land, at its number. */
export interface Doubt {
  readonly writerUuid: string;
  readonly first: number;
  /** What the caller is told if it landed. */
  readonly entry: GroupEntry;
}

/** A command whose caller waits. */
export interface PendingAsk {
  readonly command: Typed;
  /** Set for commands with an id. */
  readonly identified: IdentifiedCommand | undefined;
  /** When the caller stops waiting, by the monotonic clock. */
  readonly endsAt: number;
  /** Whether the caller has its answer. */
  readonly answered: boolean;
  /** Whether a write that holds its events is under way. */
  writing: boolean;
  /** How often another writer was faster. */
  conflicts: number;
  /** Whether it may have been carried out before: then the ledger is asked first. */
  maybeKnown: boolean;
  /** Whether it must not share a write with others, because one of them could not be stored. */
  alone: boolean;
  doubts: readonly Doubt[];
  answer(reply: unknown): void;
  fail(error: Error): void;
}

export interface AskSetting {
  readonly clock: Clock;
  readonly place: EntityPlace;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly identified: IdentifiedCommand | undefined;
  /** Told once the caller has its answer. */
  readonly onAnswered: () => void;
}

/** Takes a command in. The promise ends by the answer, by the deadline or by the signal, whichever is first. */
export function pendingAsk(
  command: Typed,
  setting: AskSetting,
): { ask: PendingAsk; reply: Promise<unknown> } {
  const { clock, place, deadlineMs, signal } = setting;
  let resolve: (reply: unknown) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const reply = new Promise<unknown>((whenDone, whenFailed) => {
    resolve = whenDone;
    reject = whenFailed;
  });
  let answered = false;
  const settle = (end: () => void) => {
    if (answered) return;
    answered = true;
    cancel();
    signal?.removeEventListener("abort", onAbort);
    end();
    setting.onAnswered();
  };
  const inDoubt = () => ask.writing || ask.doubts.length > 0;
  const onAbort = () => settle(() => reject(aborted(place, inDoubt(), signal?.reason)));
  const cancel = clock.after(deadlineMs, () => settle(() => reject(tooLate(place, deadlineMs, inDoubt()))));
  const ask: PendingAsk = {
    command,
    identified: setting.identified,
    endsAt: clock.monotonic() + deadlineMs,
    get answered() {
      return answered;
    },
    writing: false,
    conflicts: 0,
    maybeKnown: false,
    alone: false,
    doubts: [],
    answer: (value) => settle(() => resolve(value)),
    fail: (error) => settle(() => reject(error)),
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return { ask, reply };
}

function tooLate(place: EntityPlace, deadlineMs: number, ambiguous: boolean): EntityError {
  const rest = ambiguous ? "the command may be carried out all the same" : "nothing was written";
  return new EntityError(
    "ENTITY_DEADLINE_EXCEEDED",
    `${place.entity} ${place.id}: no answer within ${deadlineMs} ms: ${rest}`,
    { ...place, deadlineMs },
    { ambiguous },
  );
}

function aborted(place: EntityPlace, ambiguous: boolean, cause: unknown): EntityError {
  const rest = ambiguous ? "the command may be carried out all the same" : "nothing was written";
  return new EntityError(
    "ENTITY_ABORTED",
    `${place.entity} ${place.id}: the caller gave up: ${rest}`,
    place,
    {
      ambiguous,
      cause,
    },
  );
}
