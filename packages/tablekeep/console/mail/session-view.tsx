import type { VNode } from "preact";
import { callApi } from "../api/call-api.ts";
import { pathPart } from "../api/path-part.ts";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { longTime } from "../parts/show-values.ts";
import { placeOf } from "../shell/route.ts";
import type { SmtpTranscript } from "./smtp-transcript.ts";

const speakers = { ">": "client", "<": "server", "*": "remark" } as const;

export interface SessionViewProps {
  readonly id: string;
  /** The list that it was opened from. */
  readonly back: string;
}

/** The transcript of one session. */
export function SessionView({ id, back }: SessionViewProps): VNode {
  const answer = useAnswer(
    (signal) => callApi<SmtpTranscript>(`/api/v3/mail/sessions/${pathPart(id)}`, { signal }),
    [id],
  );
  return (
    <AnswerView answer={answer}>
      {(session) => (
        <Detail title={`Session of ${session.client}`} back={back}>
          <Facts
            facts={{
              Began: longTime(session.started),
              Took: session.ended === undefined ? "active" : `${session.ended - session.started} ms`,
              Ended: session.ending,
              TLS: session.secure ? "yes" : "no",
              Failed: session.failed === 0 ? undefined : `${session.failed} messages`,
              Stored: session.stored.length === 0 ? "no message" : <StoredLinks session={session} />,
            }}
          />
          <Transcript session={session} />
        </Detail>
      )}
    </AnswerView>
  );
}

function StoredLinks({ session }: { readonly session: SmtpTranscript }): VNode {
  const { stored: ids, inboxes } = session;
  return (
    <>
      {ids.slice(0, 20).map((id, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <a href={placeOf(["mail", id], { inbox: inboxes[id] ?? "" })}>message {at + 1}</a>
          {inboxes[id] !== undefined && ` in ${inboxes[id]}`}
        </span>
      ))}
      {ids.length > 20 && ` and ${ids.length - 20} more`}
    </>
  );
}

function Transcript({ session: { lines, leftOut } }: { readonly session: SmtpTranscript }): VNode {
  return (
    <>
      <ol class="transcript" aria-label="Transcript">
        {lines.map(({ at, by, text }, index) => (
          <li key={`${index}`} class={speakers[by]}>
            <span class="dim">{at} ms</span>
            <span class="speaker">{speakers[by]}</span>
            <code>{text}</code>
          </li>
        ))}
      </ol>
      {leftOut > 0 && <p class="dim">{leftOut} lines in the middle were not kept.</p>}
    </>
  );
}
