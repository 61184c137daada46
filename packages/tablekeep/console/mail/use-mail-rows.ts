import { callApi } from "../api/call-api.ts";
import { type CursorRows, cursorRows } from "../list/cursor-rows.ts";
import { offsetRows } from "../list/offset-rows.ts";
import type { Rows } from "../list/rows.ts";
import { useRows } from "../list/use-rows.ts";
import type { MailSummary } from "./mail-message.ts";
import { mailPath } from "./mail-message.ts";
import { type MailSearch, requestQuery } from "./search-kinds.ts";

interface MailPage {
  readonly messages: readonly MailSummary[];
  readonly next?: string;
}

const keyOf = ({ id }: MailSummary) => id;

/** Messages in the order of the list; `catchUp` finds new messages that events do not report. */
export type MailRows = Rows<MailSummary> & Partial<Pick<CursorRows<MailSummary>, "catchUp">>;

/** All messages of an inbox, or those that a search finds. */
export function useMailRows(search: MailSearch): MailRows {
  // The field does not matter without a query.
  const kind = search.query === "" ? "" : search.kind;
  return useRows(
    (): MailRows => (search.query === "" ? allMessages(search.inbox) : foundMessages(search)),
    [search.inbox, kind, search.query],
  );
}

function allMessages(inbox: string): Rows<MailSummary> {
  return offsetRows<MailSummary>({
    keyOf,
    countsLater: true,
    async fetchRows({ start, limit, cursor }, signal) {
      const from: Record<string, string> = cursor === undefined ? { start: `${start}` } : { cursor };
      const query = new URLSearchParams({ limit: `${limit}`, ...from });
      const page = await callApi<MailPage>(`${mailPath(inbox)}/messages?${query}`, { signal });
      return { rows: page.messages, next: page.next };
    },
    async fetchCount(signal) {
      return (await callApi<{ count: number }>(`${mailPath(inbox)}/count`, { signal })).count;
    },
  });
}

function foundMessages(search: MailSearch): CursorRows<MailSummary> {
  return cursorRows<MailSummary>({
    keyOf,
    async fetchPage(cursor, signal) {
      const query = new URLSearchParams({ ...requestQuery(search), limit: "100", cursor: cursor ?? "" });
      const page = await callApi<MailPage>(`${mailPath(search.inbox)}/messages?${query}`, { signal });
      return { rows: page.messages, next: page.next };
    },
  });
}
