import { fitsItem } from "@tablekeep/client";
import type { AttributeValue, Item } from "@tablekeep/core";
import type { MailhogContent, MailhogMessage, MailhogMime, MailhogPath } from "../../model/mailhog-shape.ts";

const nothing: AttributeValue = { NULL: true };

/** DynamoDB rejects deeper items. */
const maxNesting = 32;

/** The content of an item. */
export interface ItemSource {
  readonly id: string;
  readonly partition: string;
  readonly expires: number;
  /** With MailHog's own id. */
  readonly message: MailhogMessage;
  /** Only if the text of the message does not reproduce its bytes. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Returns the item as the Go package writes it: empty values are NULL. Omits the copy of the parts if DynamoDB would reject
 * the item: readers can restore the parts from the raw data.
 */
export function writeItem(source: ItemSource): Item {
  const whole = itemOf(source, source.message);
  if (fitsItem(whole) && nesting({ M: whole }) - 1 <= maxNesting) return whole;
  return itemOf(source, { ...source.message, MIME: null });
}

function itemOf({ id, partition, expires, bytes }: ItemSource, message: MailhogMessage): Item {
  return {
    CreatedDate: { S: partition },
    ID: { S: id },
    Expires: { N: String(expires) },
    Msg: { M: messageValue(message) },
    ...(bytes !== undefined && { RawBytes: { B: bytes } }),
  };
}

function messageValue({ ID, From, To, Content, Created, MIME, Raw }: MailhogMessage): Item {
  return {
    ID: text(ID),
    From: pathValue(From),
    To: list(To, pathValue),
    Content: contentValue(Content),
    Created: text(Created),
    MIME: mimeValue(MIME),
    Raw: { M: { From: text(Raw.From), To: list(Raw.To, text), Data: text(Raw.Data), Helo: text(Raw.Helo) } },
  };
}

function text(value: string): AttributeValue {
  return value === "" ? nothing : { S: value };
}

function list<Value>(values: readonly Value[] | null, one: (value: Value) => AttributeValue): AttributeValue {
  return values === null || values.length === 0 ? nothing : { L: values.map(one) };
}

function pathValue({ Relays, Mailbox, Domain, Params }: MailhogPath): AttributeValue {
  return {
    M: { Relays: list(Relays, text), Mailbox: text(Mailbox), Domain: text(Domain), Params: text(Params) },
  };
}

function contentValue({ Headers, Body, Size, MIME }: MailhogContent): AttributeValue {
  // The Go package loses the whole message because of a header without a name. This omits only that header.
  const entries = Object.entries(Headers).filter(([name]) => name !== "");
  const headers = Object.fromEntries(entries.map(([name, values]) => [name, list(values, text)]));
  return {
    M: {
      Headers: entries.length === 0 ? nothing : { M: headers },
      Body: text(Body),
      Size: { N: String(Size) },
      MIME: mimeValue(MIME),
    },
  };
}

function mimeValue(mime: MailhogMime | null): AttributeValue {
  return mime === null ? nothing : { M: { Parts: list(mime.Parts, contentValue) } };
}

function nesting(value: AttributeValue): number {
  const inner = value.M !== undefined ? Object.values(value.M) : value.L;
  if (inner === undefined) return 0;
  let deepest = 0;
  for (const each of inner) deepest = Math.max(deepest, nesting(each));
  return deepest + 1;
}
