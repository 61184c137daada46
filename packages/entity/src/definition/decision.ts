/** A command or an event: an object with a type. */
export interface Typed {
  readonly type: string;
}

/** Returns whether a value is an object with a type. */
export function isTyped(value: unknown): value is Typed {
  return typeof value === "object" && value !== null && typeof (value as Partial<Typed>).type === "string";
}

/** The result of a command. */
export interface Decision<Event, Reply> {
  /** What happened: one event, or several in order. @default none */
  readonly events?: Event | readonly Event[];
  /**
   * Store several events together or not at all. Independent events are written one after the other, and a failure may
   * leave some of them stored. @default true
   */
  readonly atomic?: boolean;
  /** Returned to the caller once the events are stored. @default undefined */
  readonly reply?: Reply;
}

/** The decision not to carry out a command. */
export interface Refusal {
  /** A machine-readable reason, such as "out-of-stock". */
  readonly refused: string;
  /** Data that explains it. @default undefined */
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

/** The third argument of `decide`. A decision must depend only on the command, the state and this. */
export interface DecideContext {
  /** The id of this entity. */
  readonly id: string;
  /** The time by the host's clock, in milliseconds since 1970. */
  readonly now: number;
  /** Sequence number of the last event in the state; 0 before the first. */
  readonly sequenceNr: number;
  /** The `commandId` of the caller, if any. */
  readonly commandId: string | undefined;
  /** Returns a new unique id. */
  newId(): string;
}

/** The reply type of what `decide` returns; undefined where a decision has none. */
export type ReplyIn<Result> = Result extends Refusal
  ? never
  : Result extends { readonly reply: infer Reply }
    ? Reply
    : undefined;
