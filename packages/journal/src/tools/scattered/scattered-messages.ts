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
   *
   * @example
   * await messages.confirm("orders", 7, "billing");
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
   *
   * @example
   * await messages.deleteMessage("orders", 7);
   */
  deleteMessage(persistenceId: string, sequenceNr: number, options?: DeleteMessageOptions): Promise<boolean>;
  /**
   * Deletes all messages up to and including a sequence number. Call it again after a failure: it continues.
   *
   * @example
   * await messages.deleteMessagesTo("orders", 7);
   */
  deleteMessagesTo(
    persistenceId: string,
    toSequenceNr: number,
    options?: DeleteMessageOptions,
  ): Promise<void>;
  /**
   * Returns the messages of an id in order, including deleted ones: softly deleted ones with their data, permanently deleted
   * ones without bytes. `max` counts all of them.
   *
   * @example
   * for await (const { sequenceNr } of messages.messages("orders")) console.log(sequenceNr);
   */
  messages(persistenceId: string, options?: ReplayOptions): AsyncIterable<ScatteredMessage>;
}
