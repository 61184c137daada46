/** A function typed by the user that turns a state and an event into the next state. The first state is undefined. */
export type Fold = (state: unknown, event: SandboxEvent) => unknown;

/** The parts of an event that the sandbox needs. The fold gets all of them. */
export interface SandboxEvent {
  readonly sequenceNr: number;
}

/** A part of an id to fold, in ascending order. */
export interface FoldRequest {
  /** The sequence number of a kept state to continue from. */
  readonly after: number;
  readonly events: readonly SandboxEvent[];
  /** The sequence numbers whose states are wanted, ascending. */
  readonly wanted: readonly number[];
  /** Whether no events follow: wanted states beyond the last event are this one. */
  readonly isLast: boolean;
}

/** States as JSON by sequence number; null where there is no state yet. */
export interface FoldResult {
  readonly last: number;
  readonly states: Readonly<Record<number, string | null>>;
  /** The sequence numbers from which a later request can continue. */
  readonly kept: readonly number[];
}

/** A fold that threw, and at which event. */
export class FoldFailure extends Error {}

/** States that are kept, so that a step back does not start from the first event. */
const maxKept = 64;
/** Characters of a state. */
const maxCharacters = 5_000_000;

/** Folds the events of one id, part by part. */
export class EventFolder {
  readonly #fold: Fold;
  readonly #kept = new Map<number, unknown>();

  constructor(fold: Fold) {
    this.#fold = fold;
  }

  /** Sets the state to begin with. */
  keep(sequenceNr: number, state: unknown): readonly number[] {
    this.#kept.delete(sequenceNr);
    this.#kept.set(sequenceNr, state);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxKept) break;
      this.#kept.delete(oldest);
    }
    return [...this.#kept.keys()];
  }

  fold({ after, events, wanted, isLast }: FoldRequest): FoldResult {
    if (!this.#kept.has(after)) throw new FoldFailure(`the state at ${after} is no longer kept`);
    // A copy: folds may change a state in place.
    let state = structuredClone(this.#kept.get(after));
    let last = after;
    const states: Record<number, string | null> = {};
    const open = wanted.filter((each) => each >= after);
    const show = (before: number) => {
      while ((open[0] ?? before) < before) states[open.shift() ?? 0] = printState(state, last);
    };
    for (const event of events) {
      show(event.sequenceNr);
      last = event.sequenceNr;
      state = attempt(last, () => this.#fold(state, event));
    }
    if (isLast) show(Number.POSITIVE_INFINITY);
    else show(last + 1);
    const copy = attempt(last, () => structuredClone(state));
    return { last, states, kept: this.keep(last, copy) };
  }
}

function printState(state: unknown, sequenceNr: number): string | null {
  const text = attempt(sequenceNr, () => JSON.stringify(state)) ?? null;
  if (text !== null && text.length > maxCharacters)
    throw new FoldFailure(`the state after event ${sequenceNr} is larger than 5 MB`);
  return text;
}

function attempt<Value>(sequenceNr: number, run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw new FoldFailure(`event ${sequenceNr}: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 500);
}

/** Compiles a fold: a JavaScript expression whose value is a function. Only for the sandbox. */
export function compileFold(code: string): Fold {
  let fold: unknown;
  try {
    fold = new Function(`"use strict"; return (${code}\n)`)();
  } catch (error) {
    throw new FoldFailure(messageOf(error));
  }
  if (typeof fold === "function") return fold as Fold;
  throw new FoldFailure("a fold is a function, such as (state, event) => ({ ...state, ...event.payload })");
}
