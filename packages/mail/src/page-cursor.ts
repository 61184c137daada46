import type { MailPage, MailSummary, PageRequest } from "./mail.ts";
import type { MailCall } from "./mail-context.ts";
import { MailError } from "./mail-error.ts";
import type { MailLayout } from "./mail-layout.ts";
import { optionInvalid } from "./options/check-options.ts";

/** A request for a page, with its defaults. */
export interface ResolvedPage {
  readonly start: number;
  readonly limit: number;
  /** The id at which an earlier page ended. */
  readonly before: string | undefined;
}

export function resolvePage(layout: MailLayout, { start, limit, cursor }: PageRequest): ResolvedPage {
  if (cursor !== undefined && start !== undefined)
    throw optionInvalid("start", "cannot be used together with cursor");
  const before = cursor === undefined ? undefined : decodeCursor(cursor, layout.isId);
  return { start: start ?? 0, limit: limit ?? 50, before };
}

/** A page of all messages. */
export async function listPage(layout: MailLayout, page: ResolvedPage, call: MailCall): Promise<MailPage> {
  const { start, limit, before } = page;
  const items: MailSummary[] = [];
  if (limit === 0) return { items };
  for await (const summary of layout.newest({ before, skip: start, want: limit + 1 }, call)) {
    const last = items.at(-1);
    if (items.length === limit && last !== undefined) return { items, next: encodeCursor(last.id) };
    items.push(summary);
  }
  return { items };
}

/** The place behind the message of this id. */
export function encodeCursor(id: string): string {
  return Buffer.from(id).toString("base64url");
}

function decodeCursor(cursor: string, isId: (id: string) => boolean): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (isId(id)) return id;
  throw cursorInvalid();
}

export function cursorInvalid(): MailError<"MAIL_CURSOR_INVALID"> {
  return new MailError("MAIL_CURSOR_INVALID", "the cursor is not from this store: start without one", {});
}
