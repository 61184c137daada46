import type { VNode } from "preact";
import { callApi } from "../api/call-api.ts";
import { useLiveEvents } from "../api/use-live-events.ts";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { shortTime } from "../parts/show-time.ts";
import { SplitView } from "../parts/split-view.tsx";
import { placeOf, type Route } from "../shell/route.ts";
import type { MailSummary } from "./mail-summary.ts";

interface MailPage {
  readonly messages: readonly MailSummary[];
  readonly next?: string;
}

/** Received mail. */
export function MailScreen({ route }: { readonly route: Route }): VNode {
  const rows = useRows(
    () =>
      cursorRows<MailSummary>({
        keyOf: ({ id }) => id,
        async fetchPage(cursor = "", signal) {
          const page = await callApi<MailPage>(`/api/v3/mail/messages?${new URLSearchParams({ cursor })}`, {
            signal,
          });
          return { rows: page.messages, next: page.next };
        },
      }),
    [],
  );
  useLiveEvents("/api/v3/mail/events", ["message"], {
    onEvent: (data) => rows.prepend(JSON.parse(data)),
    onResume: rows.reload,
  });
  const [openKey] = route.path;
  return (
    <SplitView
      tools="Mail"
      list={
        <VirtualList
          rows={rows}
          label="Messages"
          rowHeight={64}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => placeOf(["mail", id])}
          openKey={openKey}
          renderRow={({ subject, created }) => `${subject} ${shortTime(created)}`}
          empty={
            <EmptyState title="No message yet" commands={["npx tablekeep mail send --to you@example.com"]} />
          }
        />
      }
      detail={openKey === undefined ? undefined : openKey}
      nothingOpen="Choose a message"
    />
  );
}
