import { Parser } from "htmlparser2";
import { byteText } from "../mime/byte-text.ts";
import { decodeCharset } from "../mime/decode-text.ts";
import { fieldOf, parameterValue } from "../mime/header-fields.ts";
import { decodeTransfer } from "../mime/transfer-encoding.ts";
import { type LeafPart, walkParts } from "../mime/walk-parts.ts";
import { unescaped } from "./unescaped-id.ts";

/** Elements that load, navigate or run something. Their content goes with them, except for links and metadata, which have none. */
const removed: ReadonlySet<string> = new Set(
  "script link meta base iframe frame frameset object embed applet form input button noscript".split(" "),
);
/** Of these, the tags are removed and the content stays. */
const unwrapped: ReadonlySet<string> = new Set(["form", "button", "noscript", "frameset"]);
const empty: ReadonlySet<string> = new Set(["link", "meta", "base", "input", "embed", "frame"]);

const policy =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; base-uri 'none'";

/** Returns a page that shows a message: its HTML with the images of the message, or its text. It loads nothing. */
export function pictureHtml(raw: Uint8Array): string {
  const { parts } = walkParts(byteText(raw));
  const isShown = ({ fields }: LeafPart) =>
    parameterValue(fieldOf(fields, "content-disposition")).value !== "attachment";
  const html = parts.find((part) => part.type.value === "text/html" && isShown(part));
  const text = parts.find((part) => /^(?:|text\/plain)$/.test(part.type.value) && isShown(part));
  const body =
    html === undefined
      ? `<pre style="white-space:pre-wrap">${escaped(textOf(text))}</pre>`
      : cleaned(textOf(html));
  const page = embedded(body, parts);
  return `<!doctype html><meta http-equiv="content-security-policy" content="${policy}"><meta charset="utf-8">${page}`;
}

function textOf(part: LeafPart | undefined): string {
  return part === undefined ? "" : decodeCharset(bytesOf(part), part.type.parameters.get("charset") ?? "");
}

function bytesOf({ fields, body }: LeafPart): Buffer {
  return decodeTransfer(body, fieldOf(fields, "content-transfer-encoding"));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Cuts out what a picture must not contain. Everything else keeps its bytes. */
function cleaned(html: string): string {
  const kept: string[] = [];
  let at = 0;
  /** The removed element whose content is skipped, and where it began. */
  let skipping: { readonly name: string; readonly from: number } | undefined;
  const cut = (from: number, to: number) => {
    if (from > at) kept.push(html.slice(at, from));
    at = Math.max(at, to);
  };
  const parser = new Parser({
    onopentag(name) {
      if (skipping !== undefined || !removed.has(name)) return;
      if (empty.has(name) || unwrapped.has(name)) cut(parser.startIndex, parser.endIndex + 1);
      else skipping = { name, from: parser.startIndex };
    },
    onclosetag(name, isImplied) {
      if (skipping?.name === name) {
        cut(skipping.from, isImplied ? html.length : parser.endIndex + 1);
        skipping = undefined;
      } else if (skipping === undefined && unwrapped.has(name) && !isImplied)
        cut(parser.startIndex, parser.endIndex + 1);
    },
    onprocessinginstruction() {
      if (skipping === undefined) cut(parser.startIndex, parser.endIndex + 1);
    },
  });
  parser.end(html);
  kept.push(html.slice(at));
  return kept.join("");
}

/** Replaces `cid:` addresses by the images themselves. */
function embedded(html: string, parts: readonly LeafPart[]): string {
  const images = new Map<string, LeafPart>();
  for (const part of parts) {
    const id = fieldOf(part.fields, "content-id").trim().replaceAll(/^<|>$/g, "");
    if (id !== "" && part.type.value.startsWith("image/")) images.set(id, part);
  }
  return html.replaceAll(/\bcid:([^\s"'<>)]+)/gi, (all, id: string) => {
    const part = images.get(id) ?? images.get(unescaped(id));
    return part === undefined ? all : `data:${part.type.value};base64,${bytesOf(part).toString("base64")}`;
  });
}
