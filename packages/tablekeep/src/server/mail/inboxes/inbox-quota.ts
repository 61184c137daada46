import type { CallOptions } from "@tablekeep/core";
import { type IncomingMessage, type Mail, MailError } from "@tablekeep/mail";

/** Limits the numbers of messages of inboxes. */
export interface InboxQuotas {
  /**
   * Returns the store of an inbox for one message. Rejects with `MAIL_STORE_FULL` if the inbox, including the messages that this server is receiving,
   * has as many as its quota allows.
   */
  admit(inbox: string, mail: Mail, quota: number, call?: CallOptions): Promise<Mail>;
}

export function inboxQuotas(): InboxQuotas {
  /** Messages in flight, by inbox. */
  const inFlight = new Map<string, number>();
  const add = (inbox: string, change: number) => {
    const count = (inFlight.get(inbox) ?? 0) + change;
    if (count === 0) inFlight.delete(inbox);
    else inFlight.set(inbox, count);
  };
  return {
    async admit(inbox, mail, quota, call) {
      // A message that is stored during the count may be in both numbers, but never in neither.
      const before = inFlight.get(inbox) ?? 0;
      const stored = await mail.count(call);
      if (stored + Math.max(before, inFlight.get(inbox) ?? 0) >= quota)
        throw new MailError(
          "MAIL_STORE_FULL",
          `inbox ${inbox} has reached its quota of ${quota} messages`,
          {},
        );
      add(inbox, 1);
      let isCounted = true;
      return forOne(mail, () => {
        if (isCounted) add(inbox, -1);
        isCounted = false;
      });
    },
  };
}

/** A store for one message. Calls `onEnd` once that is stored or given up. */
function forOne(mail: Mail, onEnd: () => void): Mail {
  return {
    ...mail,
    receive(envelope, call) {
      try {
        return watched(mail.receive(envelope, call), onEnd);
      } catch (error) {
        onEnd();
        throw error;
      }
    },
    store: (envelope, raw, call) => mail.store(envelope, raw, call).finally(onEnd),
  };
}

function watched(message: IncomingMessage, onEnd: () => void): IncomingMessage {
  return {
    get id() {
      return message.id;
    },
    write: (bytes) => message.write(bytes),
    finish: (call) => message.finish(call).finally(onEnd),
    discard: () => message.discard().finally(onEnd),
  };
}
