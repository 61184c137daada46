import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { counted, shortTime, showSize } from "../parts/show-values.ts";
import { placeOf } from "../shell/route.ts";
import { Card, Line } from "./card.tsx";
import { fetchNewestEvents, idsOfEachJournal, maxJournals, type ScannedIds } from "./newest-events.ts";
import { type Overview, overviewReader } from "./overview-api.ts";
import { RateChart } from "./rate-chart.tsx";
import { addSample, ratesOf, type Sample } from "./rates.ts";
import { ServerCard } from "./server-card.tsx";
import "./overview.css";

const refreshMs = 3_000;
const maxThings = 5;

/** The contents and activity of the server, with links. Read again every few seconds. */
export function OverviewScreen(): VNode {
  const [round, setRound] = useState(0);
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const [fetchOverview] = useState(overviewReader);
  const answer = useAnswer(fetchOverview, ["overview", round]);
  useEffect(() => {
    if (answer.kind === "ready") setSamples((before) => addSample(before, answer.value));
    const timer = setInterval(() => {
      if (!document.hidden) setRound((last) => last + 1);
    }, refreshMs);
    return () => clearInterval(timer);
  }, [answer.kind === "ready" ? answer.value : answer.kind]);
  return (
    <div class="overview">
      <AnswerView answer={answer}>
        {(overview) => (
          <>
            <Rates samples={samples} />
            <div class="cards">
              <ServerCard />
              <MailCard mail={overview.mail} />
              <JournalsCard journals={overview.journals} />
              <EventsCard journals={overview.journals} />
              <ShadowsCard shadows={overview.shadows} />
              <TablesCard tables={overview.tables} moreTables={overview.moreTables} />
            </div>
          </>
        )}
      </AnswerView>
    </div>
  );
}

function Rates({ samples }: { readonly samples: readonly Sample[] }): VNode {
  return (
    <div class="charts">
      <RateChart label="Requests to tables per second" rates={ratesOf(samples, ({ requests }) => requests)} />
      <RateChart label="Capacity units per second" rates={ratesOf(samples, ({ units }) => units)} />
    </div>
  );
}

function MailCard({ mail }: Pick<Overview, "mail">): VNode {
  if (mail === null)
    return (
      <Card title="Mail" href={placeOf(["mail"])}>
        <p class="dim">Disabled on this server.</p>
      </Card>
    );
  return (
    <Card title="Mail" href={placeOf(["mail"])} count={mail.count.toLocaleString()}>
      {mail.newest.length === 0 && <p class="dim">No messages yet.</p>}
      <ul>
        {mail.newest.map(({ id, subject, preview, created }) => (
          <Line
            key={id}
            href={placeOf(["mail", id])}
            title={subject || `(no subject) ${preview}`.trimEnd()}
            note={shortTime(created)}
          />
        ))}
      </ul>
    </Card>
  );
}

function JournalsCard({ journals }: Pick<Overview, "journals">): VNode {
  return (
    <Card title="Journals" href={placeOf(["journal"])} count={String(journals.length)}>
      {journals.length === 0 && <p class="dim">No journals.</p>}
      <ul>
        {journals.map(({ name, layout, discovered }) => (
          <Line
            key={name}
            href={placeOf(["journal", name])}
            title={name}
            note={discovered ? `${layout}, discovered` : layout}
          />
        ))}
      </ul>
    </Card>
  );
}

/** Events are read less often: each id is a request. */
const eventsMs = 15_000;

function EventsCard({ journals }: Pick<Overview, "journals">): VNode | null {
  const [round, setRound] = useState(0);
  const names = journals.map(({ name }) => name);
  const scanned = useMemo((): ScannedIds => new Map(), []);
  const answer = useAnswer((signal) => fetchNewestEvents(names, scanned, signal), [names.join(), round]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setRound((last) => last + 1);
    }, eventsMs);
    return () => clearInterval(timer);
  }, []);
  if (journals.length === 0) return null;
  return (
    <Card title="Newest events" href={placeOf(["journal"])}>
      <AnswerView answer={answer}>
        {({ events, hasMoreJournals, hasMoreIds }) => (
          <>
            {events.length === 0 && <p class="dim">No events yet.</p>}
            {hasMoreJournals && <p class="dim">Of the first {maxJournals} journals.</p>}
            {hasMoreIds && (
              <p class="dim">Of the first {idsOfEachJournal} ids of each journal without a running feed.</p>
            )}
            <ul>
              {events.map(({ journal, id, sequenceNr, type, timestamp }) => (
                <Line
                  key={`${journal} ${sequenceNr} ${id}`}
                  href={placeOf(["journal", journal, id, "events", String(sequenceNr)])}
                  title={
                    <>
                      <bdi>{id}</bdi> · {sequenceNr} <bdi>{type}</bdi>
                    </>
                  }
                  note={timestamp > 0 ? shortTime(timestamp) : ""}
                />
              ))}
            </ul>
          </>
        )}
      </AnswerView>
    </Card>
  );
}

function ShadowsCard({ shadows }: Pick<Overview, "shadows">): VNode {
  if (shadows === null)
    return (
      <Card title="Shadows" href={placeOf(["shadows"])}>
        <p class="dim">Disabled on this server.</p>
      </Card>
    );
  const { rows, mayBeMore } = shadows;
  const newest = rows.toSorted((one, other) => other.timestamp.localeCompare(one.timestamp));
  return (
    <Card title="Shadows" href={placeOf(["shadows"])} count={`${rows.length}${mayBeMore ? " or more" : ""}`}>
      {rows.length === 0 ? (
        <p class="dim">No shadows yet.</p>
      ) : (
        <p>
          <a href={placeOf(["shadows"], { sync: "behind" })}>Things that are behind</a>
        </p>
      )}
      {mayBeMore && <p class="dim">The newest of the first {rows.length} shadows:</p>}
      <ul>
        {newest.slice(0, maxThings).map(({ thing, name, timestamp }) => (
          <Line
            key={`${thing} ${name}`}
            href={placeOf(["shadows", thing], { name })}
            title={
              <>
                <bdi>{thing}</bdi>
                {name !== "" && (
                  <>
                    {" · "}
                    <bdi>{name}</bdi>
                  </>
                )}
              </>
            }
            note={shortTime(timestamp)}
          />
        ))}
      </ul>
    </Card>
  );
}

function TablesCard({ tables, moreTables }: Pick<Overview, "tables" | "moreTables">): VNode {
  return (
    <Card title="Tables" href={placeOf(["tables"])} count={`${tables.length}${moreTables ? " or more" : ""}`}>
      {tables.length === 0 && <p class="dim">No tables yet.</p>}
      <ul>
        {tables.map(({ name, itemCount, sizeBytes, used }) => (
          <Line
            key={name}
            href={placeOf(["tables", name])}
            title={name}
            note={`${counted(itemCount, "item")}, ${showSize(sizeBytes)}, ${counted(used.requests, "request")}`}
          />
        ))}
      </ul>
    </Card>
  );
}
