import { callApi } from "../api/call-api.ts";
import type { Rows } from "../list/rows.ts";
import { confirmed } from "../shell/confirm.tsx";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import type { MailSummary } from "./mail-message.ts";
import { mailPath } from "./mail-message.ts";
import { type MailSearch, requestQuery } from "./search-kinds.ts";

/** Ids in one request: the length of a URL is limited. */
const idsAtOnce = 50;

/** Deletes these messages of an inbox after a confirmation. Returns whether they were deleted. */
export async function deleteChosen(
  inbox: string,
  ids: readonly string[],
  rows: Rows<MailSummary>,
): Promise<boolean> {
  const what = ids.length === 1 ? "this message" : `${ids.length} messages`;
  const question = { title: `Delete ${what}?`, text: "This cannot be undone.", action: "Delete" };
  if (!(await confirmed(question))) return false;
  return attempt(async () => {
    let deleted = 0;
    for (let at = 0; at < ids.length; at += idsAtOnce) {
      const part = ids.slice(at, at + idsAtOnce);
      deleted += await remove(inbox, new URLSearchParams(part.map((id) => ["id", id])));
      rows.remove(new Set(part));
    }
    return deleted;
  });
}

/** Deletes the results of the search after a confirmation; everything if the search is empty. */
export async function deleteFound(search: MailSearch, rows: Rows<MailSummary>): Promise<boolean> {
  const all = search.query === "";
  const question = {
    title: all ? "Delete all messages?" : "Delete all matches?",
    text: all
      ? `This deletes every message in ${search.inbox === "" ? "the default inbox" : `the inbox ${search.inbox}`}, including those not in the list. This cannot be undone.`
      : `This deletes every message that matches “${search.query}”. This cannot be undone.`,
    action: all ? "Delete all" : "Delete matches",
  };
  if (!(await confirmed(question))) return false;
  const query = all ? { all: "true" } : requestQuery(search);
  const isDone = await attempt(() => remove(search.inbox, new URLSearchParams(query)));
  rows.reload();
  return isDone;
}

async function remove(inbox: string, query: URLSearchParams): Promise<number> {
  const path = `${mailPath(inbox)}/messages?${query}`;
  return (await callApi<{ deleted: number }>(path, { method: "DELETE" })).deleted;
}

async function attempt(run: () => Promise<number>): Promise<boolean> {
  try {
    const deleted = await run();
    tellSuccess(deleted === 1 ? "1 message deleted" : `${deleted.toLocaleString()} messages deleted`);
    return true;
  } catch (error) {
    tellFailure(error);
    return false;
  }
}
