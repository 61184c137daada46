import type { CallOptions } from "@tablekeep/core";
import type { StoredMessage } from "@tablekeep/mail";
import type { RecipientRules } from "../../setting-files/recipient-rules.ts";
import type { MailIntake } from "../reports/report-outcomes.ts";
import { readMessageToSend } from "./address-fields.ts";
import { bareAddresses, ContentError, composeMessage, type MessageContent } from "./compose-message.ts";

/** Where messages over HTTP are stored. */
export interface MessageSink {
  readonly intake: Pick<MailIntake, "store">;
  readonly rules: RecipientRules;
  /** The name of the server, which is the client's name in the envelopes of these messages. */
  readonly hostname: string;
}

/** The target of a message. */
export interface SendTarget {
  /** The envelope's sender. @default the address of From */
  readonly returnPath?: string;
  /** Recipients that the message does not show. */
  readonly bcc: readonly string[];
}

/** Recipients of one message over SMTP. */
const maxRecipients = 1_000;

/** Writes a message as MIME and stores it. Resolves once it is durable, as SMTP's 250 means. */
export async function sendContent(
  { intake, rules, hostname }: MessageSink,
  content: MessageContent,
  { returnPath, bcc }: SendTarget,
  options: CallOptions,
): Promise<StoredMessage> {
  const to = bareAddresses([...content.to, ...content.cc, ...bcc]);
  const [from = ""] = bareAddresses([returnPath ?? content.from]);
  checkRecipients(to, rules);
  return intake.store({ from, to, helo: hostname }, await composeMessage(content), options);
}

/** A message that is already MIME. */
export interface RawSend {
  readonly raw: Buffer;
  /** @default the address of From */
  readonly from?: string;
  /** @default the addresses of To, Cc and Bcc */
  readonly to?: readonly string[];
}

/** Stores a message without its Bcc fields. Resolves once it is durable. */
export async function sendRaw(
  { intake, rules, hostname }: MessageSink,
  { raw, from, to }: RawSend,
  options: CallOptions,
): Promise<StoredMessage> {
  const message = readMessageToSend(raw);
  const [sender] = from === undefined ? message.from : bareAddresses([from]);
  if (sender === undefined) throw new ContentError("Missing required header 'From'.");
  const given = to === undefined || to.length === 0 ? undefined : bareAddresses(to);
  const recipients = given ?? [...message.to, ...message.cc, ...message.bcc];
  checkRecipients(recipients, rules);
  return intake.store({ from: sender, to: recipients, helo: hostname }, message.raw, options);
}

function checkRecipients(to: readonly string[], rules: RecipientRules): void {
  if (to.length === 0) throw new ContentError("expected at least one recipient");
  if (to.length > maxRecipients) throw new ContentError(`expected at most ${maxRecipients} recipients`);
  for (const address of to) {
    const outcome = rules(address);
    if (outcome?.kind === "reject")
      throw new ContentError(`recipient ${address} is rejected: ${outcome.code} ${outcome.text}`);
  }
}
