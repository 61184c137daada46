import type { Envelope, IncomingMessage, StoredMessage } from "@tablekeep/mail";
import type { MailReceiver } from "@tablekeep/mail/smtp";

/** A message that arrived. */
export interface Arrived {
  readonly id: string;
  readonly envelope: Envelope;
  readonly raw: Buffer;
}

/** Keeps messages in an array. `before` may throw or wait, as a store does. */
export function memoryReceiver(
  before: (moment: "begin" | "write" | "finish", bytes: number) => Promise<void> | void = () => {},
): MailReceiver & { readonly arrived: Arrived[]; readonly discarded: string[] } {
  const arrived: Arrived[] = [];
  const discarded: string[] = [];
  let begun = 0;
  const receive = (envelope: Envelope): IncomingMessage => {
    void before("begin", 0);
    const id = `message-${++begun}`;
    const parts: Buffer[] = [];
    return {
      id,
      async write(bytes) {
        await before("write", bytes.length);
        parts.push(Buffer.from(bytes));
      },
      async finish() {
        await before("finish", 0);
        arrived.push({ id, envelope, raw: Buffer.concat(parts) });
        return { id, envelope } as StoredMessage;
      },
      async discard() {
        discarded.push(id);
      },
    };
  };
  return { receive, arrived, discarded };
}
