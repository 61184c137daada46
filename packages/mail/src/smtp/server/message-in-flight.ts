import type { Envelope, IncomingMessage } from "../../model/message.ts";
import { SmtpRejection, storeFailureReply } from "../dialogue/replies.ts";
import type { SmtpAnswer } from "../dialogue/smtp-step.ts";
import type { TranscriptWriter } from "../transcripts.ts";
import type { SmtpPeer, SmtpSessionContext } from "./session-context.ts";

/** The message of a session, from DATA to its end: stores it, and turns the outcome into an answer for the dialogue. */
export class MessageInFlight {
  readonly #context: Pick<SmtpSessionContext, "receiver" | "logger" | "signal">;
  readonly #transcript: TranscriptWriter;
  #incoming: IncomingMessage | undefined;

  constructor(
    context: Pick<SmtpSessionContext, "receiver" | "logger" | "signal">,
    transcript: TranscriptWriter,
  ) {
    this.#context = context;
    this.#transcript = transcript;
  }

  /** Whether there is a message. */
  get exists(): boolean {
    return this.#incoming !== undefined;
  }

  begin(envelope: Envelope, peer: SmtpPeer): SmtpAnswer | undefined {
    const { receiver, signal } = this.#context;
    try {
      this.#incoming = receiver.receive(envelope, { signal }, peer);
      return undefined;
    } catch (error) {
      return this.#failed(error);
    }
  }

  async write(bytes: Uint8Array): Promise<SmtpAnswer | undefined> {
    try {
      await this.#incoming?.write(bytes);
      return undefined;
    } catch (error) {
      await this.#take()?.discard();
      return this.#failed(error);
    }
  }

  /** Stores it. */
  async finish(): Promise<SmtpAnswer> {
    try {
      const incoming = this.#take();
      if (incoming === undefined) throw new TypeError("commit without a message in flight");
      const stored = await incoming.finish();
      this.#transcript.stored(stored.id, incoming.inbox);
      return { kind: "stored", id: stored.id };
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Discards it, if there is one. */
  async discard(): Promise<void> {
    if (this.#incoming === undefined) return;
    this.#transcript.failed();
    await this.#take()?.discard();
  }

  #take(): IncomingMessage | undefined {
    const incoming = this.#incoming;
    this.#incoming = undefined;
    return incoming;
  }

  /** Logs a failure of the store, and turns it into an answer for the dialogue. */
  #failed(error: unknown): SmtpAnswer {
    if (!(error instanceof SmtpRejection))
      this.#context.logger.warn("a message could not be stored", { error });
    this.#transcript.add("*", `the message was not stored: ${reasonOf(error)}`);
    this.#transcript.failed();
    return { kind: "failed", reply: storeFailureReply(error) };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
