import type { Logger } from "@tablekeep/core";
import {
  type Envelope,
  type IncomingMessage,
  type SmtpAnswer,
  storeFailureReply,
  type TranscriptWriter,
} from "@tablekeep/mail";
import type { MailSink } from "./mail-sink.ts";

/** The message that a session is sending, if it is. Failures become answers for the dialogue. */
export interface MessageUnderWay {
  readonly isOpen: boolean;
  begin(envelope: Envelope): SmtpAnswer | undefined;
  write(bytes: Uint8Array): Promise<SmtpAnswer | undefined>;
  commit(): Promise<SmtpAnswer>;
  /** Forgets the message; does nothing if there is none. */
  discard(): Promise<void>;
}

export interface MessageOptions {
  readonly sink: MailSink;
  readonly transcript: TranscriptWriter;
  readonly logger: Logger;
  /** Aborted when the server waits no longer. */
  readonly signal: AbortSignal;
}

export function messageUnderWay({ sink, transcript, logger, signal }: MessageOptions): MessageUnderWay {
  let incoming: IncomingMessage | undefined;
  const failed = (error: unknown): SmtpAnswer => {
    logger.warn("a message could not be stored", { error });
    transcript.add("*", `the store did not take the message: ${reasonOf(error)}`);
    transcript.failed();
    return { kind: "failed", reply: storeFailureReply(error) };
  };
  const take = () => {
    const taken = incoming;
    incoming = undefined;
    return taken;
  };
  return {
    get isOpen() {
      return incoming !== undefined;
    },
    begin(envelope) {
      try {
        incoming = sink.receive(envelope, { signal });
        return undefined;
      } catch (error) {
        return failed(error);
      }
    },
    async write(bytes) {
      try {
        await incoming?.write(bytes);
        return undefined;
      } catch (error) {
        await take()?.discard();
        return failed(error);
      }
    },
    async commit() {
      try {
        const stored = await take()?.finish();
        if (stored === undefined) throw new TypeError("a message is committed that did not begin");
        transcript.stored(stored.id);
        return { kind: "stored", id: stored.id };
      } catch (error) {
        return failed(error);
      }
    },
    async discard() {
      if (incoming === undefined) return;
      transcript.failed();
      await take()?.discard();
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
