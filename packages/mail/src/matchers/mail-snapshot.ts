import { createHash } from "node:crypto";
import { byteText } from "../mime/byte-text.ts";
import { decodeCharset, decodeWords } from "../mime/decode-text.ts";
import { fieldOf } from "../mime/header-fields.ts";
import { decodeTransfer } from "../mime/transfer-encoding.ts";
import { type LeafPart, walkParts } from "../mime/walk-parts.ts";
import { type AssertedMail, requireBytes } from "./asserted-message.ts";
import { unescaped } from "./unescaped-id.ts";

/** Options of {@link mailSnapshot}. */
export interface MailSnapshotOptions {
  /** Replacements in the finished text, such as `[[/token=\w+/g, "token=<token>"]]`. @default none */
  readonly replace?: readonly (readonly [pattern: RegExp, replacement: string])[];
  /** Headers to leave out, by name. @default none */
  readonly without?: readonly string[];
}

/** Headers that differ each time, and what stands for their values. */
const changing: ReadonlyMap<string, string> = new Map([
  ["date", "<date>"],
  ["message-id", "<id>"],
  ["in-reply-to", "<id>"],
  ["references", "<id>"],
  ["resent-date", "<date>"],
  ["resent-message-id", "<id>"],
  ["received", "<trace>"],
  ["dkim-signature", "<signature>"],
  ["arc-seal", "<signature>"],
  ["arc-message-signature", "<signature>"],
]);

/** Headers that say how a part is written, not what it says. */
const writing: ReadonlySet<string> = new Set(["content-transfer-encoding", "content-length"]);

/**
 * Returns a message as a string that is the same each time the same message is sent: headers and parts are decoded, and ids, dates,
 * signatures, traces and boundaries replaced.
 *
 * @example
 * expect(mailSnapshot(message)).toMatchSnapshot();
 */
export function mailSnapshot(mail: AssertedMail, options: MailSnapshotOptions = {}): string {
  const { replace = [], without = [] } = options;
  const { top, parts } = walkParts(byteText(requireBytes(mail, "a snapshot")));
  const ids = contentIds(parts);
  const left = new Set(without.map((name) => name.toLowerCase()));
  const headers = top.fields
    .filter(({ name }) => !writing.has(name) && !left.has(name))
    .map(({ name, value }) => `${name}: ${changing.get(name) ?? withoutBoundary(decodeWords(value))}`);
  let text = [headers.join("\n"), ...parts.map((part) => partText(part, ids))].join("\n\n");
  for (const [pattern, replacement] of replace) text = text.replaceAll(asGlobal(pattern), replacement);
  return `${text.replaceAll(/[ \t]+$/gm, "").trimEnd()}\n`;
}

function asGlobal(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
}

function contentIds(parts: readonly LeafPart[]): ReadonlyMap<string, string> {
  const ids = new Set(parts.map(contentId).filter((id) => id !== ""));
  return new Map([...ids].map((id, at) => [id, `content-${at + 1}`]));
}

function contentId({ fields }: LeafPart): string {
  return fieldOf(fields, "content-id").trim().replaceAll(/^<|>$/g, "");
}

function withoutBoundary(value: string): string {
  return value.replaceAll(/(\bboundary(?:\*\d*\*?)?=)(?:"[^"]*"|[^\s;"]+)/gi, "$1<boundary>");
}

function withoutDates(disposition: string): string {
  return disposition.replaceAll(/(\b(?:creation|modification|read)-date=)(?:"[^"]*"|[^\s;"]+)/gi, "$1<date>");
}

function partText(part: LeafPart, ids: ReadonlyMap<string, string>): string {
  const { fields, type, body } = part;
  const bytes = decodeTransfer(body, fieldOf(fields, "content-transfer-encoding"));
  const disposition = withoutDates(decodeWords(fieldOf(fields, "content-disposition")));
  const kind = withoutBoundary(decodeWords(fieldOf(fields, "content-type"))) || "text/plain";
  const id = ids.get(contentId(part));
  const head = ["---", kind, disposition, ...(id === undefined ? [] : [`<${id}>`])].filter(
    (each) => each !== "",
  );
  const isText = type.value === "" || type.value.startsWith("text/");
  if (!isText) {
    const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    return `${head.join(" ")}\n${bytes.length} bytes, SHA-256 ${digest}…`;
  }
  const text = decodeCharset(bytes, type.parameters.get("charset") ?? "").replaceAll(/\r\n?/g, "\n");
  const named = text.replaceAll(/\bcid:([^\s"'<>)]+)/gi, (all, wanted: string) => {
    const name = ids.get(wanted) ?? ids.get(unescaped(wanted));
    return name === undefined ? all : `cid:<${name}>`;
  });
  return `${head.join(" ")}\n${named.trim()}`;
}
