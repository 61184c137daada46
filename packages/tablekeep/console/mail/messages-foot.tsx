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

/** The number of messages, and actions on several of them. */
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
        <SelectAll rows={rows} chosen={chosen} onChoose={onChoose} />
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
      <SelectAll rows={rows} chosen={chosen} onChoose={onChoose} />
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

type SelectAllProps = Omit<MessagesFootProps, "search">;

/** Of longer lists, only a part is loaded. */
const maxWhole = 1_000;

/** Selects the messages that are loaded. */
function SelectAll({ rows, chosen, onChoose }: SelectAllProps): VNode | null {
  const { count = 0, mayBeMore } = useStore(rows.state);
  const isWhole = !mayBeMore && count <= maxWhole && loadedIds(rows, count).length === count;
  if (isWhole && chosen.size >= count) return null;
  return (
    <button type="button" class="plain" onClick={() => onChoose(new Set(loadedIds(rows, count)))}>
      {isWhole ? "Select all" : "Select loaded"}
    </button>
  );
}

function loadedIds(rows: Rows<MailSummary>, count: number): string[] {
  return Array.from({ length: count }, (_, index) => rows.rowAt(index)?.id).filter((id) => id !== undefined);
}
