import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useLiveEvents } from "../api/use-live-events.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { useKeys } from "../shell/keys.ts";
import { placeOf, type Route } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { deleteChosen } from "./delete-messages.ts";
import { type MailSearch, placeQuery, searchOf } from "./mail-search.ts";
import type { MailSummary } from "./mail-summary.ts";
import { MailTools } from "./mail-tools.tsx";
import { MessageRow, messageRowHeight } from "./message-row.tsx";
import { MessageView } from "./message-view.tsx";
import { MessagesFoot } from "./messages-foot.tsx";
import { NoMessages } from "./no-messages.tsx";
import { searchArrivals } from "./search-arrivals.ts";
import { SearchTools } from "./search-tools.tsx";
import { type MailRows, useMailRows } from "./use-mail-rows.ts";

export interface MessagesScreenProps {
  readonly route: Route;
  readonly openId: string | undefined;
}

/** The inbox. */
export function MessagesScreen({ route, openId }: MessagesScreenProps): VNode {
  const search = searchOf(route);
  const rows = useMailRows(search);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const back = placeOf(["mail"], placeQuery(search));
  const [deletedId, setDeletedId] = useState<string>();
  useMailChanges(rows, search, (ids) => {
    if (openId !== undefined && ids.includes(openId)) setDeletedId(openId);
    setChosen((before) =>
      ids.some((id) => before.has(id)) ? new Set([...before].filter((id) => !ids.includes(id))) : before,
    );
  });
  useEffect(() => setChosen(new Set()), [rows]);
  const removeOpen = async () => {
    if (openId !== undefined && (await deleteChosen([openId], rows))) goTo(back, { replace: true });
  };
  useKeys({
    "#": { does: "Delete the open message", run: () => void removeOpen() },
    Escape: { does: "Close", run: () => goTo(back) },
  });
  return (
    <SplitView
      tools={
        <MailTools current="messages">
          <SearchTools search={search} />
        </MailTools>
      }
      list={
        <>
          <VirtualList
            key={search.query === "" ? "" : `${search.kind} ${search.query}`}
            rows={rows}
            label="Messages"
            rowHeight={messageRowHeight}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => placeOf(["mail", id], placeQuery(search))}
            openKey={openId}
            renderRow={(message) => <MessageRow message={message} />}
            renderMark={({ id, subject }, tabIndex) => (
              <label class="row-mark">
                <input
                  type="checkbox"
                  tabIndex={tabIndex}
                  aria-label={`Choose ${subject || "a message without subject"}`}
                  checked={chosen.has(id)}
                  onChange={({ currentTarget }) => setChosen(withChoice(chosen, id, currentTarget.checked))}
                />
              </label>
            )}
            empty={<NoMessages search={search} />}
          />
          <MessagesFoot rows={rows} search={search} chosen={chosen} onChoose={setChosen} />
        </>
      }
      detail={
        openId === undefined ? undefined : (
          <MessageView
            id={openId}
            back={back}
            isDeleted={deletedId === openId}
            onDelete={() => void removeOpen()}
          />
        )
      }
      openKey={openId}
      nothingOpen="Select a message"
    />
  );
}

function withChoice(chosen: ReadonlySet<string>, id: string, isChosen: boolean): ReadonlySet<string> {
  const next = new Set(chosen);
  if (isChosen) next.add(id);
  else next.delete(id);
  return next;
}

/**
 * Adds new messages at the top, and removes deleted ones, whichever client deletes them. The server decides what a search
 * finds.
 */
function useMailChanges(
  rows: MailRows,
  search: MailSearch,
  onDeleted: (ids: readonly string[]) => void,
): void {
  const { catchUp } = rows;
  const arrivals = useMemo(() => catchUp && searchArrivals(catchUp), [rows]);
  useEffect(() => () => arrivals?.close(), [arrivals]);
  useLiveEvents("/api/v3/mail/events", ["message", "deleted", "cleared"], {
    onEvent(data, type) {
      if (type === "cleared") rows.reload();
      else if (type === "deleted") {
        const { ids } = JSON.parse(data) as { readonly ids: readonly string[] };
        rows.remove(new Set(ids));
        onDeleted(ids);
      } else if (search.query === "") rows.prepend(JSON.parse(data) as MailSummary);
      else arrivals?.arrived();
    },
    onResume: rows.reload,
  });
}
