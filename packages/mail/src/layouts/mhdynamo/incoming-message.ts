import { fitsItem, maxItemBytes } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import { mailhogMessage, withoutFinalLineEnd } from "../../mailhog/mailhog-message.ts";
import { expiryOf, type MailContext, mailCall } from "../../model/mail-context.ts";
import { checkBytes, MailError, messageEnded } from "../../model/mail-error.ts";
import type { Envelope, IncomingMessage } from "../../model/message.ts";
import { rawOf, readItem, summaryOf } from "./read-message-item.ts";
import { placeOfStorageId } from "./storage-id.ts";
import { writeItem } from "./write-item.ts";

/** Writes a new item; throws the error for the sender. */
export type PutMessage = (item: Item, id: string, options: CallOptions) => Promise<void>;

/** Receives one message. It becomes one item, so its bytes are collected until it is complete. */
export function mhdynamoIncoming(
  context: MailContext,
  { newId, put }: { readonly newId: () => string; readonly put: PutMessage },
  envelope: Envelope,
  options: CallOptions = {},
): IncomingMessage {
  const maximum = Math.min(context.maxMessageBytes, maxItemBytes);
  let pieces: Uint8Array[] = [];
  let size = 0;
  let id = "incoming";
  let ended = false;
  const checkOpen = () => {
    if (ended) throw messageEnded(id);
  };
  return {
    get id() {
      return id;
    },
    async write(bytes) {
      checkBytes(bytes);
      checkOpen();
      size += bytes.length;
      if (size > maximum) throw tooLarge(maximum);
      pieces.push(Uint8Array.prototype.slice.call(bytes));
    },
    async finish(finishOptions = options) {
      checkOpen();
      ended = true;
      if (size > maximum) throw tooLarge(maximum);
      const newItemId = newId();
      const item = itemOf(context, newItemId, envelope, Buffer.concat(pieces));
      pieces = [];
      if (!fitsItem(item)) throw tooLarge(maxItemBytes);
      const message = readItem(item, context.partitionBy);
      if (message === undefined) throw new TypeError(`${newItemId} is not an id`);
      await put(item, newItemId, mailCall(context, finishOptions));
      id = newItemId;
      const summary = summaryOf(message);
      context.onCommitted(summary);
      return summary;
    },
    async discard() {
      ended = true;
      pieces = [];
    },
  };
}

function tooLarge(maximum: number): MailError<"MAIL_MESSAGE_TOO_LARGE"> {
  const message = `the message is too large: in this layout it must fit into one item of ${maximum} bytes`;
  return new MailError("MAIL_MESSAGE_TOO_LARGE", message, { maximum });
}

function itemOf(context: MailContext, id: string, envelope: Envelope, raw: Buffer): Item {
  const place = placeOfStorageId(id, context.partitionBy);
  if (place === undefined) throw new TypeError(`${id} is not an id`);
  const { ms: created, partition, messageId } = place;
  const message = mailhogMessage({ id: messageId, envelope, raw, created, hostname: context.hostname });
  const data = Buffer.from(withoutFinalLineEnd(raw)).toString();
  // Bytes that are not UTF-8, or that do not end with a line end.
  const bytes = Buffer.compare(rawOf(data), raw) === 0 ? undefined : raw;
  return writeItem({ id, partition, expires: expiryOf(context, created), message, bytes });
}
