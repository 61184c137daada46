import type { ComponentChildren, VNode } from "preact";
import { useAnswer } from "../api/use-answer.ts";
import { DiffView } from "../json/diff-view.tsx";
import { PayloadView } from "../json/payload-view.tsx";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { longTime } from "../parts/show-values.ts";
import { Tabs } from "../parts/tabs.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { goTo } from "../shell/use-route.ts";
import { fetchEventsBack, type JournalFacts } from "./journal-api.ts";
import type { ShownEvent } from "./shown-event.ts";
import { eventType } from "./shown-event.ts";
import { StateView } from "./state-view.tsx";

/** The parts of an event that can be shown. */
export type EventTab = "payload" | "changes" | "state";

export interface EventDetailProps {
  readonly facts: JournalFacts;
  readonly path: string;
  readonly sequenceNr: number;
  /** The lowest and the highest known sequence number. */
  readonly lowest: number;
  readonly highest: number;
  /** The sequence numbers of the snapshots, newest first. */
  readonly snapshots: readonly number[];
  readonly tab: EventTab;
  /** The sequence number whose state it is compared with. */
  readonly compared: number | undefined;
  /** The address of the list. */
  readonly back: string;
  /** The address of an event, in a view. */
  readonly placeOfEvent: (sequenceNr: number, tab: EventTab, compared?: number) => string;
}

/** One event: its content, its differences from the previous event, and the resulting state. */
export function EventDetail(props: EventDetailProps): VNode {
  const { path, sequenceNr, lowest, highest, tab, compared, back, placeOfEvent } = props;
  const choose = (chosen: EventTab) => goTo(placeOfEvent(sequenceNr, chosen), { replace: true });
  useKeys({
    Escape: { does: "Close", run: () => goTo(back) },
    d: {
      does: "Switch between content and differences",
      run: () => choose(tab === "payload" ? "changes" : "payload"),
    },
    s: { does: "Show the state", run: () => choose("state") },
  });
  const answer = useAnswer(
    (signal) => fetchEventsBack(path, { to: sequenceNr, limit: 2, signal }),
    [`${path} ${sequenceNr}`],
  );
  const found = answer.kind === "ready" ? answer.value.events : [];
  const before = found.find((each) => each.sequenceNr === sequenceNr - 1);
  const shown = tab === "changes" && answer.kind === "ready" && before === undefined ? "payload" : tab;
  const neighbor = (to: number) => placeOfEvent(to, tab, compared);
  const previous = highest > 0 ? Math.min(sequenceNr - 1, highest) : sequenceNr - 1;
  return (
    <Detail
      title={`Event ${sequenceNr}`}
      back={back}
      actions={
        <>
          {sequenceNr > lowest && <Neighbor href={neighbor(previous)}>← {previous}</Neighbor>}
          {sequenceNr < highest && <Neighbor href={neighbor(sequenceNr + 1)}>{sequenceNr + 1} →</Neighbor>}
        </>
      }
    >
      <AnswerView answer={answer}>{() => <EventFacts event={found[0]} sequenceNr={sequenceNr} />}</AnswerView>
      <Tabs
        label="Views of the event"
        tabs={[
          { name: "payload", title: "Payload" },
          {
            name: "changes",
            title: sequenceNr > lowest ? `Differences from ${sequenceNr - 1}` : "Differences",
            disabled: answer.kind === "ready" && before === undefined,
          },
          { name: "state", title: "State" },
        ]}
        chosen={shown}
        onChoose={choose}
      />
      <div role="tabpanel">
        {shown === "state" ? (
          <StateView
            {...props}
            onMove={(to) => goTo(placeOfEvent(to, "state", compared), { replace: true })}
            onCompare={(to) => goTo(placeOfEvent(sequenceNr, "state", to), { replace: true })}
          />
        ) : (
          <EventContent event={found[0]} before={before} sequenceNr={sequenceNr} shown={shown} />
        )}
      </div>
    </Detail>
  );
}

interface EventContentProps {
  readonly event: ShownEvent | undefined;
  readonly before: ShownEvent | undefined;
  readonly sequenceNr: number;
  readonly shown: "payload" | "changes";
}

function EventContent({ event, before, sequenceNr, shown }: EventContentProps): VNode | null {
  if (event === undefined || event.sequenceNr !== sequenceNr) return null;
  if (shown === "changes" && before !== undefined)
    return <DiffView before={before.payload} after={event.payload} label="Differences" />;
  return <PayloadView value={event.payload} form={event.payloadForm} label="Payload" />;
}

interface EventFactsProps {
  readonly event: ShownEvent | undefined;
  readonly sequenceNr: number;
}

function EventFacts({ event, sequenceNr }: EventFactsProps): VNode {
  if (event === undefined || event.sequenceNr !== sequenceNr)
    return <p class="dim">This event does not exist.</p>;
  const { timestamp, manifest, tags, serializerId, writerUuid, correlationId, causationId, metadata } = event;
  const type = eventType(event);
  return (
    <Facts
      facts={{
        Time: timestamp > 0 ? longTime(timestamp) : undefined,
        Manifest: manifest === "" ? undefined : manifest,
        Type: type === "" || type === manifest ? undefined : type,
        Tags:
          tags.length === 0
            ? undefined
            : tags.map((tag) => (
                <span key={tag} class="badge">
                  {tag}
                </span>
              )),
        Correlation: correlationId === undefined ? undefined : <code>{correlationId}</code>,
        Causation: causationId === undefined ? undefined : <code>{causationId}</code>,
        Metadata: metadata === undefined ? undefined : <code>{JSON.stringify(metadata)}</code>,
        Serializer: String(serializerId),
        Writer: writerUuid === "" ? undefined : <code>{writerUuid}</code>,
      }}
    />
  );
}

interface NeighborProps {
  readonly href: string;
  readonly children: ComponentChildren;
}

function Neighbor({ href, children }: NeighborProps): VNode {
  return (
    <a class="button" href={href}>
      {children}
    </a>
  );
}
