import type { VNode } from "preact";
import { AnswerView } from "../parts/answer-view.tsx";
import { CopyCommand } from "../parts/copy-command.tsx";
import { Facts } from "../parts/detail.tsx";
import { counted, shortTime } from "../parts/show-values.ts";
import { placeOf } from "../shell/route.ts";
import { payloadPreview } from "./shown-event.ts";
import type { FeedEvent, FeedFacts, FeedView } from "./use-feed.ts";

/** The feed of a journal: its progress, and the events that arrive. */
export function FeedSummary({ journal, feed }: { readonly journal: string; readonly feed: FeedView }): VNode {
  return (
    <>
      <h2>Feed</h2>
      <AnswerView answer={feed.status}>
        {(status) =>
          status === null ? (
            <NoFeed />
          ) : (
            <>
              <FeedState status={status} />
              <MissingEvents journal={journal} status={status} />
            </>
          )
        }
      </AnswerView>
      {feed.status.kind === "ready" && feed.status.value !== null && (
        <Arrivals journal={journal} events={feed.arrived} />
      )}
    </>
  );
}

function NoFeed(): VNode {
  return (
    <>
      <p class="dim">
        This journal has no feed. With one, new events of all ids appear here, and projections can follow
        them:
      </p>
      <CopyCommand command="npx tablekeep serve --feed" />
    </>
  );
}

function FeedState({ status }: { readonly status: FeedFacts }): VNode {
  const { state, events, pages, lagMs, sequencer, lease, slices } = status;
  const isRun = sequencer?.running === true || lease !== undefined;
  return (
    <Facts
      facts={{
        State: (
          <>
            <span class={`badge ${isRun ? "good" : "warn"}`}>{isRun ? state : "not running"}</span>
            {sequencer?.error !== undefined && <span class="badge bad">{sequencer.error}</span>}
          </>
        ),
        Events: events.toLocaleString(),
        Lag: lagMs === undefined ? undefined : <Lag lagMs={lagMs} isRun={isRun} />,
        Pages: `${pages.toLocaleString()} in ${slices.length} slices`,
        "Run by": isRun ? (sequencer?.running ? "this server" : "another process") : "no process",
      }}
    />
  );
}

/** The items that the feed could not read, and what to do about them. */
function MissingEvents({
  journal,
  status,
}: {
  readonly journal: string;
  readonly status: FeedFacts;
}): VNode | null {
  const { unreadable, slices } = status;
  const corrupt = slices.flatMap(({ error }) => (error === undefined ? [] : [error]));
  if (unreadable === undefined && corrupt.length === 0) return null;
  const { count = 0, items = [] } = unreadable ?? {};
  return (
    <section class="feed-missing" aria-label="Not readable">
      {corrupt.map((error) => (
        <p key={error}>
          <span class="badge bad">corrupt</span> {error}
        </p>
      ))}
      {unreadable !== undefined && (
        <>
          <p>
            {counted(count, "item")} of the journal could not be read: their events may be missing in the
            feed, which has all others. Repair what <em>Verify</em> finds, then compare the journal with the
            feed again:
          </p>
          <CopyCommand command="npx tablekeep feed run --once --sweep" />
          <ul>
            {items.map(({ persistenceId, sequenceNr, code }) => (
              <li key={`${sequenceNr} ${persistenceId}`}>
                <a href={placeOf(["journal", journal, persistenceId])}>
                  <bdi>{persistenceId}</bdi> <span class="number">{sequenceNr}</span>
                </a>{" "}
                <span class="badge bad">{code}</span>
              </li>
            ))}
            {count > items.length && <li class="dim">and {(count - items.length).toLocaleString()} more</li>}
          </ul>
        </>
      )}
    </section>
  );
}

/** A feed without new events stores once a minute how far it has read, so a lag of up to about this much means nothing. */
const idleMs = 75_000;

function Lag({ lagMs, isRun }: { readonly lagMs: number; readonly isRun: boolean }): VNode {
  const text = `${Math.ceil(lagMs / 1000).toLocaleString()} s`;
  if (!isRun) return <>no process has read the journal for {text}</>;
  if (lagMs > idleMs) return <>up to {text}</>;
  return (
    <>
      none known <span class="dim">(checked {text} ago; once a minute while nothing is appended)</span>
    </>
  );
}

interface ArrivalsProps {
  readonly journal: string;
  readonly events: readonly FeedEvent[];
}

function Arrivals({ journal, events }: ArrivalsProps): VNode {
  if (events.length === 0) return <p class="dim">New events of all ids appear here as they are appended.</p>;
  return (
    <ul class="feed-events" aria-label="New events, newest first">
      {events.map(({ persistenceId, sequenceNr, timestamp, payload, payloadForm, gone, position, error }) => (
        <li key={position}>
          <a href={placeOf(["journal", journal, persistenceId, "events", String(sequenceNr)])}>
            <span class="row-line">
              <strong>
                <bdi>{persistenceId}</bdi> <span class="number">{sequenceNr}</span>
              </strong>
              <small>{timestamp > 0 && shortTime(timestamp)}</small>
            </span>
            <span class="row-line dim">
              {error === undefined ? (
                <code class="grow">{gone ?? payloadPreview(payload, payloadForm)}</code>
              ) : (
                <span class="badge bad" title={error.message}>
                  {error.code}
                </span>
              )}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
