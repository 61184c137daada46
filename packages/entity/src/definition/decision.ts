/** Something with a type: a command or an event. */
export interface Typed {
  readonly type: string;
}

/** What a command leads to. */
export interface Decision<Event, Reply> {
  /** What happened; one event or several, in order. @default none */
  readonly events?: Event | readonly Event[] | undefined;
  /**
   * Whether several events live or die together. Independent ones are written one after the other, and a failure may
   * leave some of them written. @default true
   */
  readonly atomic?: boolean | undefined;
  /** What the caller gets once the events are stored. @default undefined */
  readonly reply?: Reply | undefined;
}

/** A command that must not be carried out. */
export interface Refusal {
  /** A word for programs, such as "out-of-stock". */
  readonly refused: string;
  /** Anything that explains it. @default undefined */
  readonly facts?: unknown;
}

/**
 * Refuses a command: the caller gets `ENTITY_COMMAND_REFUSED` with the reason, and nothing is written.
 *
 * @example
 * if (cart.paid) return refuse("already-paid");
 */
export function refuse(reason: string, facts?: unknown): Refusal {
  return { refused: reason, facts };
}

/** What `decide` knows beside command and state. Nothing else may flow into a decision. */
export interface DecideContext {
  /** The id of this entity. */
  readonly id: string;
  /** Milliseconds since 1970, by the host's clock. */
  readonly now: number;
  /** The number of the last event that the state contains; 0 before the first. */
  readonly sequenceNr: number;
  /** The id that the caller gave this command, if any. */
  readonly commandId: string | undefined;
  /** A fresh id. */
  newId(): string;
}

/** The reply in what `decide` may give; undefined where a decision has none. */
export type ReplyIn<Result> = Result extends Refusal
  ? never
  : Result extends { readonly reply: infer Reply }
    ? Reply
    : undefined;
