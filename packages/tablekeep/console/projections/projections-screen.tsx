import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { fetchJournals, type JournalFacts } from "../journal/journal-api.ts";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { AnswerView } from "../parts/answer-view.tsx";
import { EmptyState, JournalNotFound } from "../parts/empty-state.tsx";
import { counted } from "../parts/show-values.ts";
import { SplitView } from "../parts/split-view.tsx";
import { placeOf, type Route } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { ProjectionDetail } from "./projection-detail.tsx";
import { StateBadge, speedText } from "./projection-facts.tsx";
import { fetchProjections, type ProjectionFacts } from "./projections-api.ts";
import "../parts/detail.css";
import "./projections.css";

/** How often what is shown is read again, in milliseconds. */
const refreshMs = 3_000;

/** Projections: their progress, and the events that they could not apply. */
export function ProjectionsScreen({ route }: { readonly route: Route }): VNode {
  const [name] = route.path;
  const journals = useAnswer(fetchJournals, ["journals", name]);
  return (
    <AnswerView answer={journals}>
      {(known) => {
        const chosen = name === undefined ? known[0] : known.find((each) => each.name === name);
        if (chosen === undefined && name !== undefined && known.length > 0)
          return <JournalNotFound name={name} screen="projections" />;
        if (chosen === undefined)
          return (
            <EmptyState title="Journals are disabled on this server" commands={["npx tablekeep serve"]}>
              <p>Projections follow the feed of a journal.</p>
            </EmptyState>
          );
        return <ProjectionsOf key={chosen.name} journals={known} journal={chosen.name} route={route} />;
      }}
    </AnswerView>
  );
}

interface ProjectionsOfProps {
  readonly journals: readonly JournalFacts[];
  readonly journal: string;
  readonly route: Route;
}

function ProjectionsOf({ journals, journal, route }: ProjectionsOfProps): VNode {
  const [, name] = route.path;
  const rows = useRows(
    () =>
      cursorRows<ProjectionFacts>({
        keyOf: (projection) => projection.name,
        fetchPage: async (_cursor, signal) => ({ rows: await fetchProjections(journal, signal) }),
      }),
    [journal],
  );
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) rows.reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [rows]);
  const version = Number(route.query.get("version") ?? "");
  return (
    <SplitView
      tools={
        <div class="list-head">
          <strong>Projections</strong>
          {journals.length > 1 && (
            <select
              aria-label="Journal"
              value={journal}
              onChange={({ currentTarget }) => goTo(placeOf(["projections", currentTarget.value]))}
            >
              {journals.map((each) => (
                <option key={each.name}>{each.name}</option>
              ))}
            </select>
          )}
          <button type="button" onClick={() => rows.reload()}>
            Refresh
          </button>
        </div>
      }
      list={
        <VirtualList
          rows={rows}
          label="Projections"
          rowHeight={60}
          keyOf={(projection) => projection.name}
          hrefOf={(projection) => placeOf(["projections", journal, projection.name])}
          openKey={name}
          renderRow={(projection) => <ProjectionLines {...projection} />}
          empty={<NoProjections />}
        />
      }
      detail={
        name === undefined ? undefined : (
          <ProjectionDetail
            key={`${name} ${version}`}
            target={{ journal, name, version: version > 0 ? version : undefined }}
            refreshMs={refreshMs}
            onChange={() => rows.reload()}
          />
        )
      }
      openKey={name}
      nothingOpen="Select a projection"
    />
  );
}

function ProjectionLines(projection: ProjectionFacts): VNode {
  const { name, lagEvents, parked, runners, outdated } = projection;
  return (
    <>
      <span class="row-line">
        <strong>{name}</strong>
        <StateBadge {...projection} />
      </span>
      <span class="row-line dim">
        <span class="grow">
          {outdated
            ? "the feed was rebuilt"
            : lagEvents === 0
              ? "up to date"
              : `${counted(lagEvents, "event")} behind`}
          {!outdated && runners.length > 0 && ` · ${speedText(projection)}`}
        </span>
        {parked > 0 && <small class="badge warn">{parked.toLocaleString()} parked</small>}
      </span>
    </>
  );
}

function NoProjections(): VNode {
  return (
    <EmptyState title="No projections yet" commands={["npx tablekeep serve --feed"]}>
      <p>
        A projection is a read model that a program maintains from a journal’s feed. It appears here once a
        program has run it with <code>runProjections</code> of <code>@tablekeep/feed/projections</code>. Run
        the feed with the server, so that projections get new events at once:
      </p>
    </EmptyState>
  );
}
