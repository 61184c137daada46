import { addressParser } from "postal-mime";
import type { Fields } from "../../mime/header-fields.ts";
import { type AnswerPiece, listed, nstring } from "../protocol/imap-format.ts";

/** Addresses of one field that are shown. */
const maxAddresses = 200;

/** ENVELOPE: the fields of a header that a list of messages shows. Values stay encoded, as in the message. */
export function envelopeOf(fields: Fields): readonly AnswerPiece[] {
  const value = (name: string) => fields.fields.find((field) => field.name === name)?.value;
  const addresses = (name: string) => addressList(value(name));
  const from = addresses("from");
  const orFrom = (name: string) => (value(name) === undefined ? from : addresses(name));
  return listed([
    nstring(bytes(value("date"))),
    nstring(bytes(value("subject"))),
    from,
    orFrom("sender"),
    orFrom("reply-to"),
    addresses("to"),
    addresses("cc"),
    addresses("bcc"),
    nstring(bytes(value("in-reply-to"))),
    nstring(bytes(value("message-id"))),
  ]);
}

/** Header values are byte strings. Bytes that are not ASCII become a literal. */
export function bytes(value: string | undefined): string | Uint8Array | undefined {
  return value === undefined || /^[\x20-\x7e]*$/.test(value) ? value : Buffer.from(value, "latin1");
}

/** Longer values are cut before they are parsed. */
const maxLength = 65_536;

function addressList(value: string | undefined): readonly AnswerPiece[] {
  if (value === undefined || value.trim() === "") return ["NIL"];
  const text = Buffer.from(value.slice(0, maxLength), "latin1").toString("utf8");
  const found = addressParser(text, { flatten: true }).slice(0, maxAddresses);
  const items = found.flatMap(({ name, address = "" }) => {
    if (address === "") return [];
    const at = address.lastIndexOf("@");
    const [mailbox, host] = at < 0 ? [address, ""] : [address.slice(0, at), address.slice(at + 1)];
    return [
      listed([
        nstring(name === "" ? undefined : encodedWord(name)),
        ["NIL"],
        nstring(mailbox),
        nstring(host),
      ]),
    ];
  });
  return items.length === 0 ? ["NIL"] : ["(", ...items.flat(), ")"];
}

/** Names are decoded by the parser; those that are not ASCII are encoded again. */
function encodedWord(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name;
  return `=?UTF-8?B?${Buffer.from(name).toString("base64")}?=`;
}
