import type { CallOptions } from "@tablekeep/core";
import { defaultInbox, type Envelope, type IncomingMessage, type Mail } from "@tablekeep/mail";
import type { SmtpPeer } from "@tablekeep/mail/smtp";
import type { MailIntake } from "../reports/report-outcomes.ts";
import { chooseInbox, needsHead } from "./choose-inbox.ts";
import type { InboxDirectory } from "./inbox-directory.ts";

/** Opens the store of an inbox for a new message. Rejects if its quota is reached. */
export type OpenForMessage = (name: string, call?: CallOptions) => Promise<Mail>;

/** Bytes of a message that are searched for headers. */
const headBytes = 65_536;

/**
 * Stores each message in the inbox that the rules choose. As long as there are no rules that need more, messages to the default
 * inbox are passed on directly.
 */
export function routeMessages(
  mail: Mail,
  directory: Pick<InboxDirectory, "known" | "read">,
  open: OpenForMessage,
  inboxDomain?: string,
): MailIntake {
  const choose = async (envelope: Envelope, head: Uint8Array, peer?: SmtpPeer, call?: CallOptions) => {
    const name = chooseInbox(await directory.read(call), { envelope, head, peer }, inboxDomain);
    if (name === defaultInbox) return { store: mail, inbox: undefined };
    return { store: await open(name, call), inbox: name };
  };
  return {
    receive(envelope, call, peer) {
      const { known } = directory;
      const isDecided = known !== undefined && !needsHead(known);
      const message = { envelope, peer, head: Buffer.alloc(0) };
      if (isDecided && chooseInbox(known, message, inboxDomain) === defaultInbox)
        return mail.receive(envelope, call);
      return new RoutedMessage(!isDecided, async (head) => {
        const { store, inbox } = await choose(envelope, head, peer, call);
        return { inbox, message: store.receive(envelope, call) };
      });
    },
    async store(envelope, raw, call) {
      const target = await choose(envelope, raw.subarray(0, headBytes), undefined, call);
      return target.store.store(envelope, raw, call);
    },
  };
}

/** A message in its store. */
interface OpenedMessage {
  readonly inbox: string | undefined;
  readonly message: IncomingMessage;
}

/** A message whose store is chosen once its header, or as much as is needed, has arrived. */
class RoutedMessage implements IncomingMessage {
  readonly #needsHead: boolean;
  readonly #open: (head: Uint8Array) => Promise<OpenedMessage>;
  #target: Promise<OpenedMessage> | undefined;
  #opened: OpenedMessage | undefined;
  #head = Buffer.alloc(0);

  constructor(needsHeader: boolean, open: (head: Uint8Array) => Promise<OpenedMessage>) {
    this.#needsHead = needsHeader;
    this.#open = open;
  }

  get id(): string {
    return this.#opened?.message.id ?? "(no inbox yet)";
  }

  get inbox(): string | undefined {
    return this.#opened?.inbox;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#target !== undefined) return (await this.#target).message.write(bytes);
    this.#head = Buffer.concat([this.#head, bytes]);
    const isComplete = this.#head.length >= headBytes || /\r?\n\r?\n/.test(this.#head.toString("latin1"));
    if (isComplete || !this.#needsHead) await this.#begin();
  }

  async finish(options?: CallOptions) {
    if (this.#target === undefined) await this.#begin();
    const target = await this.#target;
    if (target === undefined) throw new TypeError("a message without a store");
    return target.message.finish(options);
  }

  async discard(): Promise<void> {
    const target = await this.#target?.catch(() => undefined);
    await target?.message.discard();
  }

  async #begin(): Promise<void> {
    const target = this.#open(this.#head);
    this.#target = target;
    this.#opened = await target;
    if (this.#head.length > 0) await this.#opened.message.write(this.#head);
    this.#head = Buffer.alloc(0);
  }
}
