import type { VNode } from "preact";
import { VirtualList } from "../list/virtual-list.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { placeOf, type Route } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { useStore } from "../shell/use-store.ts";
import { deleteChosen } from "./delete-messages.ts";
import { InboxChoice } from "./inbox-choice.tsx";
import { MailHead } from "./mail-head.tsx";
import { MessageRow, messageRowHeight } from "./message-row.tsx";
import { MessageView } from "./message-view.tsx";
import { MessagesFoot } from "./messages-foot.tsx";
import { NoMessages } from "./no-messages.tsx";
import { placeQuery, searchOf } from "./search-kinds.ts";
import { SearchTools } from "./search-tools.tsx";
import { useInboxes } from "./use-inboxes.ts";
import { useMailChanges } from "./use-mail-changes.ts";
import { useMailRows } from "./use-mail-rows.ts";

export interface MessagesScreenProps {
  readonly route: Route;
  readonly openId: string | undefined;
}

/** The messages of an inbox. */
export function MessagesScreen({ route, openId }: MessagesScreenProps): VNode {
  const search = searchOf(route);
  const rows = useMailRows(search);
  const { count, mayBeMore } = useStore(rows.state);
  const inboxes = useInboxes(search.inbox, count !== undefined && (search.query !== "" || !mayBeMore));
  const back = placeOf(["mail"], placeQuery(search));
  const { chosen, setChosen, isDeleted, marks, setMarks } = useMailChanges(
    rows,
    search,
    openId,
    inboxes.refresh,
  );
  const removeOpen = async () => {
    if (openId !== undefined && (await deleteChosen(search.inbox, [openId], rows)))
      goTo(back, { replace: true });
  };
  useKeys({
    "#": { does: "Delete the open message", run: () => void removeOpen() },
    Escape: { does: "Close", run: () => goTo(back) },
  });
  return (
    <SplitView
      tools={
        <MailHead current="messages" inbox={search.inbox}>
          <InboxChoice search={search} inboxes={inboxes} />
          <SearchTools search={search} />
        </MailHead>
      }
      list={
        <>
          <VirtualList
            key={`${search.inbox} ${search.query === "" ? "" : `${search.kind} ${search.query}`}`}
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
            empty={<NoMessages search={search} rules={inboxes.rulesOf(search.inbox)} />}
          />
          <MessagesFoot rows={rows} search={search} chosen={chosen} onChoose={setChosen} />
        </>
      }
      detail={
        openId === undefined ? undefined : (
          <MessageView
            inbox={search.inbox}
            id={openId}
            back={back}
            isDeleted={isDeleted}
            marks={marks}
            onMarks={setMarks}
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
