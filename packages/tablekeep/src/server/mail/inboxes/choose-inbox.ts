import { BlockList, isIPv4 } from "node:net";
import { defaultInbox, type Envelope, inboxNameOf, readHeaders } from "@tablekeep/mail";
import type { SmtpPeer } from "@tablekeep/mail/smtp";
import { type Matches, wildcard } from "../../patterns/wildcard.ts";
import { type InboxDefinition, type InboxRule, networkOf } from "./inbox-definition.ts";

/** The facts that determine the inbox of a message. */
export interface RoutedMessage {
  readonly envelope: Envelope;
  readonly peer?: SmtpPeer;
  /** The beginning of the message, with its header. */
  readonly head: Uint8Array;
}

/** Whether a rule depends on the message itself. */
export function needsHead(inboxes: ReadonlyMap<string, InboxDefinition>): boolean {
  for (const { rules } of inboxes.values()) if (rules.some(({ header }) => header !== undefined)) return true;
  return false;
}

/**
 * The inbox of a message: the first, by name, with a rule that fits; otherwise the part after `+` of the user `name+inbox`;
 * otherwise the first label of a recipient's domain below `inboxDomain`; otherwise the default inbox.
 */
export function chooseInbox(
  inboxes: ReadonlyMap<string, InboxDefinition>,
  message: RoutedMessage,
  inboxDomain?: string,
): string {
  const headers = headersOf(message);
  for (const { name, rules } of inboxes.values())
    if (rules.some((rule) => fits(rule, message, headers))) return name;
  const { user, to } = message.envelope;
  return inboxOfUser(user) ?? inboxOfDomain(to, inboxDomain) ?? defaultInbox;
}

/** The inbox that a recipient at `inbox.domain` selects. */
function inboxOfDomain(recipients: readonly string[], domain: string | undefined): string | undefined {
  if (domain === undefined) return undefined;
  for (const recipient of recipients) {
    const [, label = "", rest] = /@([^@.]+)\.([^@]+)$/.exec(recipient) ?? [];
    if (rest?.toLowerCase() === domain.toLowerCase()) return inboxNameOf(label);
  }
  return undefined;
}

/** The inbox that a user `name+inbox` selects. */
export function inboxOfUser(user: string | undefined): string | undefined {
  const branch = /^[^+@]+\+([^+@]+)$/.exec(user ?? "")?.[1];
  return branch === undefined ? undefined : inboxNameOf(branch);
}

/** The user without the inbox that it selects. */
export function userWithoutInbox(user: string): string {
  return inboxOfUser(user) === undefined ? user : user.replace(/\+[^+]*$/, "");
}

type Headers = () => ReadonlyMap<string, readonly string[]>;

/** Parsed only if a rule needs them. */
function headersOf({ head }: RoutedMessage): Headers {
  let parsed: Map<string, string[]> | undefined;
  return () => {
    if (parsed !== undefined) return parsed;
    parsed = new Map();
    for (const { name, value } of readHeaders(head)) {
      const key = name.toLowerCase();
      parsed.set(key, [...(parsed.get(key) ?? []), value]);
    }
    return parsed;
  };
}

function fits(
  { user, to, header, address, port }: InboxRule,
  message: RoutedMessage,
  headers: Headers,
): boolean {
  const { envelope, peer } = message;
  return (
    (port === undefined || port === peer?.port) &&
    (address === undefined || (peer !== undefined && isInside(peer.address, address))) &&
    (user === undefined || (envelope.user !== undefined && anyCase(user)(envelope.user))) &&
    (to === undefined || envelope.to.some(anyCase(to))) &&
    (header === undefined || hasHeader(header, headers()))
  );
}

function hasHeader(header: string, headers: ReadonlyMap<string, readonly string[]>): boolean {
  const at = header.indexOf(":");
  const matches = anyCase(header.slice(at + 1).trim());
  const values = headers.get(header.slice(0, at).toLowerCase()) ?? [];
  return values.some((value) => matches(value.trim()));
}

function anyCase(pattern: string): Matches {
  return wildcard(pattern, { ignoreCase: true });
}

/** Whether an address is in a network such as `10.0.0.0/8`, or is this one address. */
function isInside(address: string, network: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  const found = networkOf(network);
  if (found === undefined || found.family !== (isIPv4(plain) ? "ipv4" : "ipv6")) return false;
  const list = new BlockList();
  list.addSubnet(found.base, found.bits, found.family);
  return list.check(plain, found.family);
}
