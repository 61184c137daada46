import { fieldOf, type ParameterValue, parameterValue } from "../../mime/header-fields.ts";
import type { MessagePart } from "../../mime/message-parts.ts";
import { type AnswerPiece, listed, nstring } from "../protocol/imap-format.ts";
import { bytes, envelopeOf } from "./imap-envelope.ts";

/** BODYSTRUCTURE, or BODY without the extension fields. */
export function bodyStructure(part: MessagePart, extended: boolean): readonly AnswerPiece[] {
  return part.type.value.startsWith("multipart/") ? multipart(part, extended) : singlePart(part, extended);
}

const emptyPart = '("TEXT" "PLAIN" NIL NIL NIL "7BIT" 0 0)';

function multipart(part: MessagePart, extended: boolean): readonly AnswerPiece[] {
  const parts = part.parts.flatMap((each) => bodyStructure(each, extended));
  return [
    "(",
    ...(parts.length === 0 ? [emptyPart] : parts),
    " ",
    ...nstring(bytes(subtype(part.type))),
    ...(extended ? [" ", ...parameters(part.type), " ", ...extension(part)] : []),
    ")",
  ];
}

function singlePart(part: MessagePart, extended: boolean): readonly AnswerPiece[] {
  const [main = "TEXT"] = part.type.value.toUpperCase().split("/");
  const field = (name: string) => {
    const value = fieldOf(part.fields, name);
    return value === "" ? undefined : bytes(value);
  };
  const encoding = fieldOf(part.fields, "content-transfer-encoding").trim().toUpperCase() || "7BIT";
  const items: (readonly AnswerPiece[])[] = [
    nstring(bytes(main)),
    nstring(bytes(subtype(part.type))),
    parameters(part.type),
    nstring(field("content-id")),
    nstring(field("content-description")),
    nstring(bytes(encoding)),
    [String(part.end - part.bodyAt)],
  ];
  // Clients of IMAP4rev1 would read the envelope of a message/global as extension fields: only IMAP4rev2 has one there (RFC 9051, section 9).
  const message = part.type.value === "message/rfc822" ? part.message : undefined;
  if (message !== undefined) items.push(envelopeOf(message.fields), bodyStructure(message, extended));
  if (message !== undefined || main === "TEXT") items.push([String(part.lines)]);
  if (extended) items.push(["NIL"], extension(part));
  return listed(items);
}

function subtype({ value }: ParameterValue): string {
  return (value.split("/")[1] ?? "").toUpperCase() || "PLAIN";
}

function parameters({ parameters: given }: ParameterValue): readonly AnswerPiece[] {
  const pairs = [...given].filter(([name]) => !name.includes("*")).slice(0, 50);
  if (pairs.length === 0) return ["NIL"];
  return listed(
    pairs.flatMap(([name, value]) => [nstring(bytes(name.toUpperCase())), nstring(bytes(value))]),
  );
}

/** Disposition, language and location. */
function extension({ fields }: MessagePart): readonly AnswerPiece[] {
  const disposition = parameterValue(fieldOf(fields, "content-disposition"));
  const shown =
    disposition.value === ""
      ? ["NIL"]
      : listed([nstring(bytes(disposition.value.toUpperCase())), parameters(disposition)]);
  return [...shown, " NIL NIL"];
}
