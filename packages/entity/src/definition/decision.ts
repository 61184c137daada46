import type { TransactWriteItem } from "@tablekeep/core";

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
  /**
   * Items of your own, written in the same transaction as the events: an outbox row, a unique name. Requires an event. If
   * the condition of one fails, the command fails with `ENTITY_ALSO_WRITE_REJECTED`. @default none
   */
  readonly alsoWrite?: readonly DeepReadonly<TransactWriteItem>[];
  /** Plain data to store with the events, in addition to the metadata of `ask`. @default none */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * A type with all members read-only, at every level. What `decide` and `evolve` return is inferred with literal types,
 * which makes its arrays read-only; the host changes none of them.
 */
export type DeepReadonly<Value> = unknown extends Value
  ? Value
  : Value extends string | number | boolean | bigint | symbol | null | undefined | Uint8Array
    ? Value
    : { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> };

/** The decision not to carry out a command. */
export interface Refusal<Reason extends string = string, Facts = unknown> {
  /** A machine-readable reason, such as "out-of-stock". */
  readonly refused: Reason;
  /** Data that explains it. @default undefined */
  readonly facts?: Facts;
}

/**
 * Refuses a command: the caller gets `ENTITY_COMMAND_REFUSED` with the reason, and nothing is written.
 *
 * @example
 * if (cart.paid) return refuse("already-paid");
 */
export function refuse<const Reason extends string, const Facts = undefined>(
  reason: Reason,
  facts?: Facts,
): Refusal<Reason, Facts> {
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

/** The refusals in what `decide` returns. */
export type RefusedIn<Result> =
  Result extends Refusal<infer Reason, infer Facts>
    ? { readonly reason: Reason; readonly facts: Facts | undefined }
    : never;

/** Functions that decide, by the type of the command. */
export type Deciders<State, Results> = {
  readonly [Type in keyof Results]: (command: never, state: State, context: DecideContext) => Results[Type];
};

/** The commands that functions by type decide: what each accepts, with its `type`. */
export type CommandIn<Functions> = {
  [Type in keyof Functions & string]: Functions[Type] extends (
    command: infer Command,
    ...rest: never[]
  ) => unknown
    ? CommandNamed<Type, Command>
    : never;
}[keyof Functions & string];

/** A function without a command, or that does not say what it accepts, accepts only the type. */
type CommandNamed<Type, Command> = [Command] extends [never]
  ? { readonly type: Type }
  : unknown extends Command
    ? { readonly type: Type }
    : { [Name in keyof (Command & { readonly type: Type })]: (Command & { readonly type: Type })[Name] };

/** The reply type of what `decide` returns; undefined where a decision has none. */
export type ReplyIn<Result> = Result extends Refusal
  ? never
  : Result extends { readonly reply: infer Reply }
    ? Reply
    : undefined;
