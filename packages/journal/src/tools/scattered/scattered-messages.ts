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
   * Notes that a channel has dealt with a message, and with that one only. To do it twice is to do it once.
   * False if there is no such message.
   */
  confirm(
    persistenceId: string,
    sequenceNr: number,
    channel: string,
    options?: CallOptions,
  ): Promise<boolean>;
  /**
   * Deletes one message: replays leave it out, its sequence number stays in use. False if there is no such message, or it is
   * deleted so already.
   */
  deleteMessage(persistenceId: string, sequenceNr: number, options?: DeleteMessageOptions): Promise<boolean>;
  /** Deletes all messages up to and with a number. May be called again after a failure: it continues. */
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
