import type { VNode } from "preact";
import type { Rows } from "../list/rows.ts";
import { useStore } from "../shell/use-store.ts";
import { deleteChosen, deleteFound } from "./delete-messages.ts";
import type { MailSummary } from "./mail-message.ts";
import { markAllRead } from "./mark-requests.ts";
import type { MailSearch } from "./search-kinds.ts";
import { useSearchTotal } from "./use-search-total.ts";

export interface MessagesFootProps {
  readonly rows: Rows<MailSummary>;
  readonly search: MailSearch;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** How many there are, and what can be done with several of them. */
export function MessagesFoot({ rows, search, chosen, onChoose }: MessagesFootProps): VNode | null {
  const { count = 0, mayBeMore, shift } = useStore(rows.state);
  const isSearch = search.query !== "";
  const total = useSearchTotal(search, isSearch && mayBeMore);
  if (count === 0) return null;
  if (chosen.size > 0) {
    const remove = async () => {
      if (await deleteChosen(search.inbox, [...chosen], rows)) onChoose(new Set());
    };
    return (
      <div class="list-foot messages-foot">
        <span>{chosen.size} selected</span>
        <button type="button" class="plain" onClick={() => onChoose(new Set())}>
          Clear
        </button>
        <button type="button" class="danger" onClick={() => void remove()}>
          Delete selected
        </button>
      </div>
    );
  }
  // Matches that have arrived since they were counted are on top.
  const known = mayBeMore && total !== undefined ? Math.max(count, total + shift) : count;
  return (
    <div class="list-foot messages-foot">
      <span>
        {known.toLocaleString()}
        {mayBeMore && total === undefined && "+"} {known === 1 ? "message" : "messages"}
      </span>
      {!isSearch && (
        <button type="button" class="plain" onClick={() => void markAllRead(search.inbox, rows)}>
          Mark all read
        </button>
      )}
      <button type="button" class="plain" onClick={() => void deleteFound(search, rows)}>
        {isSearch ? "Delete matches" : "Delete all"}
      </button>
    </div>
  );
}
