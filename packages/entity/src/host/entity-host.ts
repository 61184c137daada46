import type { EntityCallOptions } from "../call-options.ts";
import type {
  AnyEntity,
  CommandOf,
  CommandTypeOf,
  ReplyTo,
  StateOf,
} from "../definition/entity-definition.ts";
import type { RecoveryOptions } from "../recovery/recovery-options.ts";

/** Options of {@link Entities.ask}. */
export interface AskOptions {
  /**
   * Makes the command safe to repeat: a command that was already carried out gets its first reply, for as long as the
   * ledger keeps it. Use a different id for each command of an entity. @default none
   */
  readonly commandId?: string;
  /** Stored as the correlation id of the command's events: names the request or process that it belongs to. @default none */
  readonly correlationId?: string;
  /** Stored as the causation id of the command's events: names what caused the command. @default the command id */
  readonly causationId?: string;
  /** Stored as the metadata of the command's events: plain data, to which a decision may add. @default none */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Aborts the call. A command whose write is in flight may still be carried out. */
  readonly signal?: AbortSignal;
  /** Deadline in milliseconds, including the time in the queue and all attempts. @default the host's `deadlineMs` */
  readonly deadlineMs?: number;
}

/** A state and the sequence number of its last event. */
export interface StateView<State> {
  readonly state: State;
  /** Sequence number of the last event in the state; 0 before the first. */
  readonly sequenceNr: number;
}

/** A point in the history of an entity: a sequence number, or a time in milliseconds since 1970. */
export type Moment =
  | { readonly sequenceNr: number; readonly timestamp?: undefined }
  | { readonly timestamp: number; readonly sequenceNr?: undefined };

/** The entities of one definition. */
export interface Entities<Definition extends AnyEntity> {
  /**
   * Sends a command to an entity and returns the reply once the events are stored. Takes over as the entity's writer if
   * the entity is not in memory. Commands of one entity are carried out one at a time, in the order of the calls.
   *
   * @example
   * const total = await host.of(counter).ask("a", { type: "add", amount: 2 }, { commandId: "request-17" });
   */
  ask<Type extends CommandTypeOf<Definition>>(
    id: string,
    command: CommandOf<Definition> & { readonly type: Type },
    options?: AskOptions,
  ): Promise<ReplyTo<Definition, Type>>;
  /**
   * Reads the state from the tables, without taking over as the writer: nothing is written, and no host is superseded. One
   * request in a packed journal with its snapshots beside the events.
   *
   * @example
   * const { state, sequenceNr } = await host.of(counter).read("a");
   */
  read(id: string, options?: RecoveryOptions): Promise<StateView<StateOf<Definition>>>;
  /**
   * Reads the state as it was after an event, or at a time.
   *
   * @example
   * const yesterday = await host.of(counter).stateAt("a", { timestamp: Date.now() - 86_400_000 });
   */
  stateAt(id: string, moment: Moment, options?: EntityCallOptions): Promise<StateView<StateOf<Definition>>>;
  /**
   * Deletes the events up to and including a sequence number, which a snapshot must contain.
   *
   * @example
   * await host.of(counter).deleteEvents("a", 100);
   */
  deleteEvents(id: string, toSequenceNr: number, options?: EntityCallOptions): Promise<void>;
  /**
   * Removes an entity permanently: its snapshots, its events and sequence numbers, and the replies of its commands.
   * Commands sent to this host meanwhile wait, and reach a new entity. No other host may have the entity in memory. Call
   * it again after a failure to complete it.
   *
   * @example
   * await host.of(counter).forget("a");
   */
  forget(id: string, options?: EntityCallOptions): Promise<void>;
}

/** A running host of entities. */
export interface EntityHost<Entity extends AnyEntity = AnyEntity> extends AsyncDisposable {
  /**
   * Returns the entities of a definition that this host was opened with.
   *
   * @example
   * const carts = host.of(cart);
   */
  of<Definition extends Entity>(definition: Definition): Entities<Definition>;
  /** Number of entities in memory. */
  readonly loaded: number;
  /**
   * Resolves once no command and no snapshot is in flight.
   *
   * @example
   * await host.idle();
   */
  idle(): Promise<void>;
  /**
   * Stops accepting commands, and resolves once the accepted commands and their snapshots are done.
   *
   * @example
   * process.once("SIGTERM", () => host.close());
   */
  close(): Promise<void>;
}
