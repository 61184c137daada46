import { callApi } from "../api/call-api.ts";
import type { Rows } from "../list/rows.ts";
import { tellFailure } from "../shell/toasts.tsx";
import type { MailMarks, MailSummary } from "./mail-message.ts";
import { mailPath, messagePath } from "./mail-message.ts";

/** Marks a message as read when it is opened. The list shows it at once; a store without marks forgets it with the page. */
export async function markRead(inbox: string, id: string, rows: Rows<MailSummary>): Promise<void> {
  rows.change(new Map([[id, { read: true }]]));
  await callApi(`${messagePath(inbox, id)}/marks`, { method: "PUT", body: { read: true } }).catch(() => {
    // Nothing that the reader could do: the message is shown anyway.
  });
}

/** Marks all messages of an inbox as read, also those that are not in the list. */
export async function markAllRead(inbox: string, rows: Rows<MailSummary>): Promise<void> {
  try {
    const query = new URLSearchParams({ kind: "query", query: "is:unread" });
    await callApi(`${mailPath(inbox)}/marks?${query}`, { method: "PUT", body: { read: true } });
  } catch (error) {
    tellFailure(error);
  }
  rows.reload();
}

/** Adds or removes a tag of the message of an API path. Returns the marks of the message; undefined if that failed, which is shown. */
export async function changeTags(
  path: string,
  change: { readonly addTags: readonly string[] } | { readonly removeTags: readonly string[] },
): Promise<MailMarks | undefined> {
  try {
    return await callApi<MailMarks>(`${path}/marks`, { method: "PUT", body: change });
  } catch (error) {
    tellFailure(error);
    return undefined;
  }
}
