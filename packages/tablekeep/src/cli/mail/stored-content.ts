import { createHash } from "node:crypto";
import type { Mail, MailSummary } from "@tablekeep/mail";

/** Tells which messages a store holds already, by their bytes. */
export interface StoredContent {
  has(raw: Uint8Array): Promise<boolean>;
  /** Remembers a message that was stored since. */
  add(raw: Uint8Array): void;
}

/** Lists the store once. Stored messages are read only where one of the same size is asked for. */
export async function storedContent(mail: Mail, signal: AbortSignal): Promise<StoredContent> {
  const unread = new Map<number, MailSummary[]>();
  const known = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await mail.list({ limit: 250, cursor, signal });
    for (const summary of page.items) {
      const same = unread.get(summary.size);
      if (same === undefined) unread.set(summary.size, [summary]);
      else same.push(summary);
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return {
    async has(raw) {
      const candidates = unread.get(raw.length) ?? [];
      unread.delete(raw.length);
      for await (const message of mail.loadEach(candidates, { signal })) known.add(digest(message.raw));
      return known.has(digest(raw));
    },
    add(raw) {
      known.add(digest(raw));
    },
  };
}

function digest(raw: Uint8Array): string {
  return createHash("sha256").update(raw).digest("base64");
}
