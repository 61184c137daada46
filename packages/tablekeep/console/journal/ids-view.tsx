import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { callApi, servedPath } from "../api/call-api.ts";
import { pathPart } from "../api/path-part.ts";
import { ListCount } from "../list/list-count.tsx";
import { useRefresh, useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { FilterBox } from "../parts/filter-box.tsx";
import { showSize } from "../parts/show-values.ts";
import { SplitView } from "../parts/split-view.tsx";
import { placeOf, type Route } from "../shell/route.ts";
import { tellFailure } from "../shell/toasts.tsx";
import { goTo } from "../shell/use-route.ts";
import { FeedSummary } from "./feed-summary.tsx";
import { IdLines } from "./id-lines.tsx";
import { type IdRow, idRows, lastOf } from "./id-rows.ts";
import type { JournalFacts } from "./journal-api.ts";
import { type FeedView, useFeed } from "./use-feed.ts";
import { VerifyPanel } from "./verify-panel.tsx";

export interface IdsViewProps {
  readonly journals: readonly JournalFacts[];
  readonly chosen: JournalFacts;
  readonly route: Route;
  /** Polls for journals that were created meanwhile. */
  readonly onRefresh: () => void;
}

/** The ids of a journal, and its statistics. */
export function IdsView({ journals, chosen, route, onRefresh }: IdsViewProps): VNode {
  const { name } = chosen;
  const prefix = route.query.get("prefix") ?? "";
  const rows = useRows(() => idRows(name, prefix), [name, prefix]);
  const feed = useFeed(name, (event) => {
    const { persistenceId: id } = event;
    const last = lastOf(event);
    rows.change(new Map<string, Partial<IdRow>>([[id, { last }]]));
    // An id of a page that was not read yet would appear twice.
    const isWhole = rows.state.get().count !== undefined && !rows.state.get().mayBeMore;
    if (isWhole && id.startsWith(prefix)) rows.prepend({ id, last, round: 0 });
  });
  // A prefix is searched among all ids, which is too expensive to repeat.
  useRefresh(rows, prefix === "" && !rows.isScan());
  return (
    <SplitView
      tools={
        <>
          {journals.length > 1 && (
            <select
              aria-label="Journal"
              value={name}
              onChange={({ currentTarget }) => goTo(placeOf(["journal", currentTarget.value]))}
            >
              {journals.map((each) => (
                <option key={each.name}>{each.name}</option>
              ))}
            </select>
          )}
          <FilterBox
            label="Filter ids by prefix"
            value={prefix}
            onChange={(typed) => goTo(placeOf(["journal", name], { prefix: typed }), { replace: true })}
          />
          <button
            type="button"
            onClick={() => {
              rows.reload();
              onRefresh();
            }}
          >
            Refresh
          </button>
          <a class="button narrow-only" href={placeOf(["journal", name], { about: "true" })}>
            About
          </a>
        </>
      }
      list={
        <>
          <VirtualList
            key={`${name} ${prefix}`}
            rows={rows}
            label="Persistence ids"
            rowHeight={60}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => placeOf(["journal", name, id])}
            renderRow={(row) => <IdLines key={row.id} journal={name} row={row} />}
            empty={prefix === "" ? <NoEvents journal={chosen} /> : <NothingFound prefix={prefix} />}
          />
          <ListCount rows={rows} noun="id" />
        </>
      }
      detail={
        route.query.get("about") === "true" ? <JournalSummary journal={chosen} feed={feed} /> : undefined
      }
      nothingOpen={<JournalSummary key={name} journal={chosen} feed={feed} />}
    />
  );
}

function NoEvents({ journal: { name, discovered } }: { readonly journal: JournalFacts }): VNode {
  if (discovered) return <EmptyState title="No events yet" />;
  const url = location.origin + servedPath(`/api/v3/journals/${pathPart(name)}/ids/cart-1/events`);
  return (
    <EmptyState
      title="No events yet"
      commands={[
        `curl ${url} -d '{"events":[{"payload":{"added":"apple"}}]}'`,
        "npx tablekeep journal import events.ndjson",
      ]}
    >
      <p>Append one over HTTP, or import an export:</p>
    </EmptyState>
  );
}

function NothingFound({ prefix }: { readonly prefix: string }): VNode {
  return (
    <EmptyState title="No results">
      <p>No id begins with “{prefix}”. Ids are case-sensitive.</p>
    </EmptyState>
  );
}

interface Stats {
  readonly ids: number;
  readonly events: number;
  readonly eventBytes: number;
  readonly largestEventBytes: number;
  readonly longest?: { readonly persistenceId: string; readonly events: number };
}

interface JournalSummaryProps {
  readonly journal: JournalFacts;
  readonly feed: FeedView;
}

function JournalSummary({ journal, feed }: JournalSummaryProps): VNode {
  const [stats, setStats] = useState<Stats | "counting">();
  const count = async () => {
    setStats("counting");
    try {
      setStats(await callApi<Stats>(`/api/v3/journals/${pathPart(journal.name)}/stats`));
    } catch (error) {
      setStats(undefined);
      tellFailure(error);
    }
  };
  return (
    <Detail title={`Journal “${journal.name}”`} back={placeOf(["journal", journal.name])}>
      <Facts
        facts={{
          Table: <a href={placeOf(["tables", journal.table])}>{journal.table}</a>,
          Layout: journal.layout,
          Origin: journal.discovered && "Discovered in the folder; read-only here",
          "Snapshots in": <a href={placeOf(["tables", journal.snapshotTable])}>{journal.snapshotTable}</a>,
        }}
      />
      {typeof stats === "object" ? (
        <Facts
          facts={{
            Ids: stats.ids.toLocaleString(),
            Events: stats.events.toLocaleString(),
            Size: showSize(stats.eventBytes),
            "Largest event": showSize(stats.largestEventBytes),
            "Longest id": stats.longest && (
              <a href={placeOf(["journal", journal.name, stats.longest.persistenceId])}>
                {stats.longest.persistenceId} ({stats.longest.events.toLocaleString()})
              </a>
            ),
          }}
        />
      ) : (
        <p>
          <button type="button" disabled={stats === "counting"} onClick={() => void count()}>
            {stats === "counting" ? "Counting…" : "Count events"}
          </button>{" "}
          <span class="dim">Reads the whole table once.</span>
        </p>
      )}
      <VerifyPanel journal={journal} />
      <FeedSummary journal={journal.name} feed={feed} />
    </Detail>
  );
}
