import type { AttributeValue, Item } from "@tablekeep/core";
import { cutText } from "../../../mime/decode-text.ts";
import type { MailSummary } from "../../../model/message.ts";
import { sortedTags } from "../../../model/tag-rules.ts";
import type { Overview } from "../../../search/overview.ts";
import { type MessageLocation, type ParsedId, parseId, summaryKey } from "./mail-keys.ts";

/** A header longer than this is not kept in the summary; a search then reads the message. */
const maxHeaderLength = 2000;

/** The location of a message's bytes. */
export interface BodyLocation {
  readonly body: string;
  readonly chunks: number;
  /** CRC-32 of all bytes. */
  readonly checksum: number;
}

/** A summary with its location. */
export interface SummaryRecord extends UnplacedRecord {
  readonly place: MessageLocation;
}

/** A summary with the location of the bytes, and what searches and deletes need. */
export interface UnplacedRecord extends BodyLocation {
  readonly summary: MailSummary;
  readonly place: ParsedId;
  /** The server's name when the message was received. */
  readonly hostname: string;
  /** `From` and `To` as MailHog sees them; undefined if absent, null if unknown. */
  readonly mailhogFrom: string | undefined | null;
  readonly mailhogTo: string | undefined | null;
  /** All addresses, in lower case; those of the envelope first. */
  readonly senders: readonly string[];
  readonly recipients: readonly string[];
  /** Whether these have index items. */
  readonly addressed: boolean;
}

/** A record of what was received. */
export function summaryRecord(
  { hostname, indexesAddresses }: { readonly hostname: string; readonly indexesAddresses: boolean },
  given: Pick<MailSummary, "id" | "created" | "expires" | "envelope" | "size" | "imported" | "read" | "tags">,
  place: ParsedId,
  body: BodyLocation,
  overview: Overview,
): UnplacedRecord {
  const { envelope } = given;
  const short = (text: string) => cutText(text, 500);
  const kept = (text: string | undefined | null) =>
    text != null && text.length > maxHeaderLength ? null : text;
  return {
    ...body,
    place,
    hostname,
    summary: {
      ...given,
      subject: short(overview.subject),
      headerFrom: short(overview.headerFrom),
      headerTo: short(overview.headerTo),
      preview: overview.preview,
      attachments: overview.attachments,
    },
    mailhogFrom: kept(overview.mailhogFrom),
    mailhogTo: kept(overview.mailhogTo),
    senders: distinct([envelope.from, ...overview.senders]),
    recipients: distinct([...envelope.to, ...overview.recipients]),
    addressed: indexesAddresses,
  };
}

/** The record of a message that is committed in this era. */
export function placed(record: UnplacedRecord, era: string): SummaryRecord {
  return { ...record, place: { ...record.place, era } };
}

function distinct(addresses: readonly string[]): string[] {
  return [...new Set(addresses.map((address) => address.toLowerCase()))].filter((address) => address !== "");
}

const number = (value: number): AttributeValue => ({ N: String(value) });
const texts = (values: readonly string[]): AttributeValue => ({ L: values.map((S) => ({ S })) });

/** Returns the item of a record. Omits empty values. */
export function writeSummary(record: SummaryRecord): Item {
  const { summary, place } = record;
  const { envelope } = summary;
  const item: Record<string, AttributeValue> = {
    ...summaryKey(summary.id, place),
    expires: number(summary.expires),
    size: number(summary.size),
    to: texts(envelope.to),
    host: { S: record.hostname },
    body: { S: record.body },
    chunks: number(record.chunks),
    crc: number(record.checksum),
  };
  const add = (name: string, value: string | undefined | null) => {
    if (value === null) item[name] = { NULL: true };
    else if (value !== undefined && value !== "") item[name] = { S: value };
  };
  const addAll = (name: string, values: readonly string[]) => {
    if (values.length > 0) item[name] = texts(values);
  };
  add("from", envelope.from);
  add("helo", envelope.helo);
  add("user", envelope.user);
  add("imported", summary.imported);
  add("subject", summary.subject);
  add("hfrom", summary.headerFrom);
  add("hto", summary.headerTo);
  add("preview", summary.preview);
  if (summary.attachments > 0) item["parts"] = number(summary.attachments);
  if (summary.read) item["read"] = { BOOL: true };
  if (summary.tags.length > 0) item["tags"] = { SS: [...summary.tags] };
  add("mfrom", record.mailhogFrom);
  add("mto", record.mailhogTo);
  // Those of the envelope have their own attributes.
  const sender = envelope.from.toLowerCase();
  addAll(
    "senders",
    record.senders.filter((address) => address !== sender),
  );
  addAll("recipients", record.recipients.slice(distinct(envelope.to).length));
  if (!record.addressed) item["addressed"] = { BOOL: false };
  return item;
}

/** Reads an item; undefined if it is not a summary. */
export function readSummary(item: Item): SummaryRecord | undefined {
  const id = item["sk"]?.S ?? "";
  const place = parseId(id);
  const era = /^m#(\d{8})#/.exec(item["pk"]?.S ?? "")?.[1];
  const body = item["body"]?.S;
  if (place === undefined || era === undefined || body === undefined) return undefined;
  const one = (name: string) => item[name]?.S ?? "";
  const many = (name: string) => (item[name]?.L ?? []).flatMap(({ S }) => S ?? []);
  const count = (name: string) => Number(item[name]?.N ?? 0);
  const header = (name: string) => (item[name]?.NULL === true ? null : item[name]?.S);
  const user = item["user"]?.S;
  const imported = item["imported"]?.S;
  return {
    place: { ...place, era },
    body,
    chunks: count("chunks"),
    checksum: count("crc"),
    hostname: one("host"),
    mailhogFrom: header("mfrom"),
    mailhogTo: header("mto"),
    senders: distinct([one("from"), ...many("senders")]),
    recipients: distinct([...many("to"), ...many("recipients")]),
    addressed: item["addressed"]?.BOOL ?? true,
    summary: {
      id,
      created: place.ms,
      expires: count("expires"),
      envelope: { from: one("from"), to: many("to"), helo: one("helo"), ...(user !== undefined && { user }) },
      size: count("size"),
      subject: one("subject"),
      headerFrom: one("hfrom"),
      headerTo: one("hto"),
      preview: one("preview"),
      attachments: count("parts"),
      read: item["read"]?.BOOL ?? false,
      tags: sortedTags(item["tags"]?.SS ?? []),
      ...(imported !== undefined && { imported }),
    },
  };
}
