import type { AnyEntity, CommandOf, ReplyOf, StateOf } from "../definition/entity-definition.ts";
import type { RecoveryOptions } from "../recovery/recovery-options.ts";

/** What an ask takes beside its command. */
export interface AskOptions {
  /**
   * Makes the command safe to give again: if it was carried out before, its first reply is given, for as long as the
   * ledger remembers it. Give each command of an entity its own. @default none
   */
  readonly commandId?: string | undefined;
  /** Ends the ask early. A command that is being written may be carried out all the same. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds, the time in the queue and all attempts included. @default the host's `deadlineMs` */
  readonly deadlineMs?: number | undefined;
}

/** A state, and how far it goes. */
export interface StateView<State> {
  readonly state: State;
  /** The number of the last event in it; 0 before the first. */
  readonly sequenceNr: number;
}

/** A moment in the life of an entity: an event's number, or milliseconds since 1970. */
export type Moment =
  | { readonly sequenceNr: number; readonly timestamp?: undefined }
  | { readonly timestamp: number; readonly sequenceNr?: undefined };

/** What to stop with. */
export interface EntityCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each request. @default the host's `deadlineMs` */
  readonly deadlineMs?: number | undefined;
}

/** The entities of one definition. */
export interface Entities<Definition extends AnyEntity> {
  /**
   * Gives an entity a command and waits for the reply, which comes once the events are stored. Commands of one entity
   * are carried out one after the other, in the order in which they are given.
   */
  ask(id: string, command: CommandOf<Definition>, options?: AskOptions): Promise<ReplyOf<Definition>>;
  /** The state as the tables have it, or as the options ask for. Disturbs nobody. */
  recover(id: string, options?: RecoveryOptions): Promise<StateView<StateOf<Definition>>>;
  /** The state after an event, or as it was at a time. */
  stateAt(id: string, moment: Moment, options?: EntityCallOptions): Promise<StateView<StateOf<Definition>>>;
  /** Deletes events up to and with a number, which a snapshot must contain. */
  deleteEvents(id: string, toSequenceNr: number, options?: EntityCallOptions): Promise<void>;
  /**
   * Removes an entity for good: its snapshots, its events and numbers, and the replies of its commands. Commands given to
   * this host wait for it and meet a new entity. No other host may have the entity in memory. May be called again after a
   * failure: it goes on.
   */
  forget(id: string, options?: EntityCallOptions): Promise<void>;
}

/** Entities at work. */
export interface EntityHost<Entity extends AnyEntity = AnyEntity> extends AsyncDisposable {
  /** The entities of one of the definitions that this host was opened with. */
  of<Definition extends Entity>(definition: Definition): Entities<Definition>;
  /** How many entities are in memory. */
  readonly loaded: number;
  /** Resolves once no command and no snapshot is under way. */
  idle(): Promise<void>;
  /** Takes no more commands, and resolves once those that came and the snapshots are done. */
  close(): Promise<void>;
}
