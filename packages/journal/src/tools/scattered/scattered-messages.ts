import type { CallOptions } from "@tablekeep/core";
import type { JournalEvent, ReplayOptions } from "../../context/journal.ts";

/** An event with what only the plugin 0.x keeps beside it. */
export interface ScatteredMessage extends JournalEvent {
  /** Softly deleted: there, and left out by replays. */
  readonly deleted: boolean;
  /** The channels that confirmed it. */
  readonly confirmations: readonly string[];
  /** The path of the actor that sent it; "" if none is stored. */
  readonly sender: string;
}

export interface DeleteMessageOptions extends CallOptions {
  /** Also remove the data, permanently; otherwise the message is only marked. @default false */
  readonly permanent?: boolean;
}

/** Features of journals of the plugin 0.x only: confirmations, and deletion of single messages. */
export interface ScatteredMessages {
  /**
   * Records that a channel has confirmed a message. Doing it twice has no further effect. Returns false if there is no
   * such message.
   */
  confirm(
    persistenceId: string,
    sequenceNr: number,
    channel: string,
    options?: CallOptions,
  ): Promise<boolean>;
  /**
   * Deletes one message: replays skip it, and its sequence number stays in use. Returns false if there is no such
   * message, or if it is deleted already.
   */
  deleteMessage(persistenceId: string, sequenceNr: number, options?: DeleteMessageOptions): Promise<boolean>;
  /** Deletes all messages up to and including a sequence number. Call it again after a failure: it continues. */
  deleteMessagesTo(
    persistenceId: string,
    toSequenceNr: number,
    options?: DeleteMessageOptions,
  ): Promise<void>;
  /**
   * The messages of an id in order, deleted ones too: softly deleted with their data, one that was deleted permanently
   * with no bytes. `max` counts all of them.
   */
  messages(persistenceId: string, options?: ReplayOptions): AsyncIterable<ScatteredMessage>;
}
