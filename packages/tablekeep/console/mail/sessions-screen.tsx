import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { callApi, servedPath } from "../api/call-api.ts";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { shortTime } from "../parts/show-values.ts";
import { SplitView } from "../parts/split-view.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { placeOf, type Route } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { MailHead } from "./mail-head.tsx";
import { SessionView } from "./session-view.tsx";
import { type SmtpSession, sessionResult } from "./smtp-transcript.ts";

const refreshMs = 3_000;

export interface SessionsScreenProps {
  readonly route: Route;
  readonly openId: string | undefined;
}

/** SMTP sessions with commands and replies, to find out why nothing arrived: those of all inboxes. */
export function SessionsScreen({ route, openId }: SessionsScreenProps): VNode {
  // Kept for the way back.
  const inbox = route.query.get("inbox") ?? "";
  const list = placeOf(["mail", "sessions"], { inbox });
  const rows = useRows(
    () =>
      cursorRows<SmtpSession>({
        keyOf: ({ id }) => id,
        async fetchPage(_cursor, signal) {
          const path = "/api/v3/mail/sessions?limit=200";
          return { rows: (await callApi<{ sessions: SmtpSession[] }>(path, { signal })).sessions };
        },
      }),
    [],
  );
  useKeys({ Escape: { does: "Close", run: () => goTo(list) } });
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") rows.reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [rows]);
  return (
    <SplitView
      tools={<MailHead current="sessions" inbox={inbox} />}
      list={
        <VirtualList
          rows={rows}
          label="SMTP sessions"
          rowHeight={60}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => placeOf(["mail", "sessions", id], { inbox })}
          openKey={openId}
          renderRow={(session) => <SessionRow session={session} />}
          empty={
            <EmptyState title="No SMTP sessions yet">
              <p>
                No program has connected to SMTP since the server started. Check that your program uses{" "}
                <a href={servedPath("/about")}>this address</a>.
              </p>
            </EmptyState>
          }
        />
      }
      detail={openId === undefined ? undefined : <SessionView id={openId} back={list} />}
      openKey={openId}
      nothingOpen="Select a session to see its transcript"
    />
  );
}

function SessionRow({ session }: { readonly session: SmtpSession }): VNode {
  const { client, started, secure, ending } = session;
  const { text, kind } = sessionResult(session);
  return (
    <>
      <div class="row-line">
        <span class="grow">{client}</span>
        {secure && <small>TLS</small>}
        <small>
          <time dateTime={new Date(started).toISOString()}>{shortTime(started)}</time>
        </small>
      </div>
      <div class="row-line">
        <span class="grow dim">{ending ?? "active"}</span>
        <span class={`badge ${kind}`}>{text}</span>
      </div>
    </>
  );
}
