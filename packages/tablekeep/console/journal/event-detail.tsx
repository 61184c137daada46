import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { DiffView } from "../json/diff-view.tsx";
import { PayloadView } from "../json/payload-view.tsx";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { longTime } from "../parts/show-time.ts";
import { Tabs } from "../parts/tabs.tsx";
import { useKeys } from "../shell/keys.ts";
import { goTo } from "../shell/use-route.ts";
import { fetchEventsBack, type ShownEvent } from "./journal-api.ts";

export interface EventDetailProps {
  readonly path: string;
  readonly sequenceNr: number;
  /** The highest number that is known. */
  readonly highest: number;
  /** The address of the list; events are behind it. */
  readonly back: string;
}

/** One event: what it holds, and what differs from the event before. */
export function EventDetail({ path, sequenceNr, highest, back }: EventDetailProps): VNode {
  const [tab, setTab] = useState<"payload" | "changes">("payload");
  useKeys({
    Escape: { does: "Close", run: () => goTo(back) },
    d: {
      does: "Switch between content and differences",
      run: () => setTab(tab === "payload" ? "changes" : "payload"),
    },
  });
  const answer = useAnswer(
    (signal) => fetchEventsBack(path, { to: sequenceNr, limit: 2, signal }),
    [`${path} ${sequenceNr}`],
  );
  return (
    <Detail
      title={`Event ${sequenceNr}`}
      back={back}
      actions={
        <>
          {sequenceNr > 1 && <Neighbour href={`${back}/${sequenceNr - 1}`}>← {sequenceNr - 1}</Neighbour>}
          {sequenceNr < highest && (
            <Neighbour href={`${back}/${sequenceNr + 1}`}>{sequenceNr + 1} →</Neighbour>
          )}
        </>
      }
    >
      <AnswerView answer={answer}>
        {({ events }) => {
          const event = events.find((each) => each.sequenceNr === sequenceNr);
          if (event === undefined) return <p class="dim">This event does not exist.</p>;
          const before = events.find((each) => each.sequenceNr === sequenceNr - 1);
          return (
            <>
              <EventFacts event={event} />
              <Tabs
                label="Views of the event"
                tabs={[
                  { name: "payload", title: "Payload" },
                  {
                    name: "changes",
                    title: `Differences from ${sequenceNr - 1}`,
                    disabled: before === undefined,
                  },
                ]}
                chosen={before === undefined ? "payload" : tab}
                onChoose={setTab}
              />
              <div role="tabpanel">
                {tab === "changes" && before !== undefined ? (
                  <DiffView before={before.payload} after={event.payload} label="Differences" />
                ) : (
                  <PayloadView value={event.payload} form={event.payloadForm} label="Payload" />
                )}
              </div>
            </>
          );
        }}
      </AnswerView>
    </Detail>
  );
}

function EventFacts({ event }: { readonly event: ShownEvent }): VNode {
  const { timestamp, manifest, tags, serializerId, writerUuid, correlationId, causationId, metadata } = event;
  return (
    <Facts
      facts={{
        Time: timestamp > 0 ? longTime(timestamp) : undefined,
        Manifest: manifest === "" ? undefined : manifest,
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

function Neighbour({
  href,
  children,
}: {
  readonly href: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <a class="button" href={href}>
      {children}
    </a>
  );
}
