import type { MailhogPart } from "@tablekeep/mail";
import { contentDisposition } from "../../http/content-disposition.ts";

/** A part as a file. */
export interface PartFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * A part of a message as a file to keep. It comes from a stranger, so a browser must never show it as a page of ours,
 * whatever the part says of itself.
 */
export function partFile(part: MailhogPart, usualName: string): PartFile {
  const header = (name: string) => {
    const key = Object.keys(part.headers).find((each) => each.toLowerCase() === name);
    return key === undefined ? undefined : part.headers[key]?.[0];
  };
  const name = fileName(header("content-disposition")) ?? usualName;
  return {
    headers: {
      "content-type": cleanHeader(header("content-type")) ?? "application/octet-stream",
      "content-disposition": contentDisposition("attachment", name),
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    },
    body: part.content,
  };
}

function fileName(disposition: string | undefined): string | undefined {
  const [, quoted, bare] = /;\s*filename="?(?:((?<=")[^"]*)"|([^\s;"]+))/i.exec(disposition ?? "") ?? [];
  const name = (quoted ?? bare ?? "").replace(/^.*[/\\]/s, "");
  return name === "" ? undefined : name;
}

/** A value that fits into one line of an answer. */
function cleanHeader(value: string | undefined): string | undefined {
  return value !== undefined && /^[\t\x20-\x7e]+$/.test(value) ? value : undefined;
}
