import type { CallOptions } from "@tablekeep/core";
import { defaultInbox, type Envelope, type IncomingMessage, type Mail } from "@tablekeep/mail";
import { type Chaos, type SmtpPeer, SmtpRejection, smtpReply } from "@tablekeep/mail/smtp";
import type { MailIntake } from "../reports/report-outcomes.ts";
import { chooseInbox, needsHead } from "./choose-inbox.ts";
import type { InboxDirectory } from "./inbox-directory.ts";

/** Opens the store of an inbox for a new message. Rejects if its quota is reached. */
export type OpenForMessage = (name: string, call?: CallOptions) => Promise<Mail>;

/** Dependencies of routing on the inboxes. */
export interface RoutedInboxes {
  readonly directory: Pick<InboxDirectory, "known" | "read">;
  readonly openForMessage: OpenForMessage;
  /** Faults of an inbox that was chosen only after sender and recipients were accepted. @default none */
  readonly chaosOf?: (name: string) => Chaos | undefined;
}

/** Bytes of a message that are searched for headers. */
const headBytes = 65_536;

/**
 * Stores each message in the inbox that the rules choose. Unless rules need more, messages to the default
 * inbox are passed on directly.
 */
export function routeMessages(
  mail: Mail,
  { directory, openForMessage: open, chaosOf }: RoutedInboxes,
  inboxDomain?: string,
): MailIntake {
  const choose = async (envelope: Envelope, head: Uint8Array, peer?: SmtpPeer, call?: CallOptions) => {
    const inboxes = await directory.read(call);
    const name = chooseInbox(inboxes, { envelope, head, peer }, inboxDomain);
    if (name === defaultInbox) return { inbox: undefined, byHeader: false };
    const byHeader = chooseInbox(inboxes, { envelope, head: noHead, peer }, inboxDomain) !== name;
    return { inbox: name, byHeader };
  };
  const storeOf = async (inbox: string | undefined, call?: CallOptions) =>
    inbox === undefined ? mail : open(inbox, call);
  return {
    receive(envelope, call, peer) {
      const { known } = directory;
      const isDecided = known !== undefined && !needsHead(known);
      const message = { envelope, peer, head: Buffer.alloc(0) };
      if (isDecided && chooseInbox(known, message, inboxDomain) === defaultInbox)
        return mail.receive(envelope, call);
      return new RoutedMessage(!isDecided, async (head) => {
        const { inbox, byHeader } = await choose(envelope, head, peer, call);
        if (byHeader) rejectByChaos(chaosOf?.(inbox ?? ""), envelope);
        return { inbox, message: (await storeOf(inbox, call)).receive(envelope, call) };
      });
    },
    async store(envelope, raw, call) {
      const { inbox } = await choose(envelope, raw.subarray(0, headBytes), undefined, call);
      return (await storeOf(inbox, call)).store(envelope, raw, call);
    },
  };
}

const noHead = new Uint8Array(0);

/** An inbox that the header chooses was not known when its sender and recipients were accepted: its faults reject the message. */
function rejectByChaos(chaos: Chaos | undefined, { from, to }: Envelope): void {
  const fate = chaos?.nextConnection();
  if (fate?.rejectsSender()) throw new SmtpRejection(smtpReply(550, `Invalid sender ${from || "<>"}`));
  const rejected =
    fate === undefined ? undefined : to.find((address) => fate.rejectsRecipient(undefined, address));
  if (rejected !== undefined) throw new SmtpRejection(smtpReply(550, `Invalid recipient ${rejected}`));
}

/** Stores each message in one inbox, whatever the rules. */
export function routeToInbox(name: string, open: OpenForMessage): MailIntake {
  return {
    receive: (envelope, call) =>
      new RoutedMessage(false, async () => ({
        inbox: name,
        message: (await open(name, call)).receive(envelope, call),
      })),
    async store(envelope, raw, call) {
      return (await open(name, call)).store(envelope, raw, call);
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
