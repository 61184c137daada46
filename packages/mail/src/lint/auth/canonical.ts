import type { Hash } from "node:crypto";
import { pacer } from "../../model/background-work.ts";

/** The two forms of RFC 6376, section 3.4. */
export type Canonical = "simple" | "relaxed";

/** A header field in its signed form, with its line end. `field` is a byte text. */
export function canonicalField(field: string, form: Canonical): string {
  const text = field.replace(/\r?\n$/, "");
  if (form === "simple") return `${text.replaceAll(/\r?\n/g, "\r\n")}\r\n`;
  const colon = text.indexOf(":");
  const value = text
    .slice(colon + 1)
    .replaceAll(/\r?\n/g, "")
    .replaceAll(/[ \t]+/g, " ")
    .trim();
  return `${text.slice(0, colon).trim().toLowerCase()}:${value}\r\n`;
}

/** The number of bytes that are hashed together. */
const atOnce = 65_536;

/**
 * Adds a body to a hash in its canonical form, at most `limit` bytes of it. Bare line feeds count as line ends, as they do once SMTP has
 * carried the message. A large body takes several turns of the event loop.
 */
export async function hashBody(hash: Hash, body: string, form: Canonical, limit: number): Promise<void> {
  const pace = pacer();
  let left = limit;
  let pending = "";
  /** Empty lines count only if another line follows. */
  let emptyLines = 0;
  let isEmpty = true;
  const add = (text: string) => {
    const part = text.slice(0, left);
    left -= part.length;
    hash.update(part, "latin1");
  };
  for (let at = 0; at < body.length; ) {
    const found = body.indexOf("\n", at);
    const end = found < 0 ? body.length : found;
    let line = body.slice(at, body[end - 1] === "\r" && end > at ? end - 1 : end);
    if (form === "relaxed") line = line.replaceAll(/[ \t]+/g, " ").replace(/ $/, "");
    if (line === "") emptyLines++;
    else {
      pending += `${"\r\n".repeat(emptyLines)}${line}\r\n`;
      emptyLines = 0;
      isEmpty = false;
    }
    if (pending.length > atOnce) {
      const turn = pace(pending.length);
      add(pending);
      pending = "";
      if (turn !== undefined) await turn;
    }
    at = end + 1;
  }
  add(isEmpty && form === "simple" ? "\r\n" : pending);
}
