import type { VNode } from "preact";
import { servedPath } from "../api/call-api.ts";
import { Facts } from "../parts/detail.tsx";
import { counted, longTime } from "../parts/show-values.ts";
import type { ProjectionFacts, ProjectionStatus } from "./projections-api.ts";

const kinds = { running: "good", paused: "warn", stopped: "bad" } as const;

/** The state; for a running version, also whether a process applies events. */
export function StateBadge({
  state,
  runners,
  outdated,
}: Pick<ProjectionFacts, "state" | "runners" | "outdated">): VNode {
  if (outdated) return <span class="badge bad">outdated</span>;
  const isIdle = state === "running" && runners.length === 0;
  return <span class={`badge ${isIdle ? "warn" : kinds[state]}`}>{isIdle ? "not running" : state}</span>;
}

/** How fast it is, in words. */
export function speedText({ eventsPerSecond, runners }: ProjectionFacts): string {
  if (runners.length === 0) return "no process runs it";
  return `${eventsPerSecond.toLocaleString(undefined, { maximumFractionDigits: 1 })} events/s`;
}

/** Position, lag, throughput and state of a projection. */
export function ProjectionNumbers({ status }: { readonly status: ProjectionStatus }): VNode {
  const { slices, feed, lagEvents, lagMs } = status;
  const events = slices.reduce((sum, slice) => sum + slice.events, 0);
  const passed = slices.reduce((sum, slice) => sum + Math.min(slice.offset, slice.events), 0);
  const movedAt = Math.max(0, ...slices.map((slice) => slice.movedAt));
  const filter = [feed.type && `type ${feed.type}`, feed.tag && `tag ${feed.tag}`].filter(Boolean).join(", ");
  const { outdated } = status;
  const label = `Position: ${passed.toLocaleString()} of ${events.toLocaleString()} events`;
  return (
    <>
      {outdated ? (
        <Outdated {...status} />
      ) : (
        <div class="projection-progress">
          <progress aria-label={label} max={Math.max(1, events)} value={events === 0 ? 1 : passed} />
          <span>
            {passed.toLocaleString()} of {events.toLocaleString()} events
          </span>
        </div>
      )}
      <Facts
        facts={{
          State: <StateBadge {...status} />,
          Lag: outdated ? undefined : lagText(lagEvents, lagMs),
          Throughput: outdated ? undefined : speedText(status),
          Parked: status.parked.toLocaleString(),
          Mode: status.mode,
          Feed: filter === "" ? feed.name : `${feed.name}, ${filter}`,
          "Last moved": movedAt > 0 ? longTime(movedAt) : undefined,
          "Run by": status.runners.length === 0 ? undefined : <code>{status.runners.join(", ")}</code>,
        }}
      />
      {status.lastError !== undefined && !outdated && slices.every(({ failed }) => failed === undefined) && (
        <p class="projection-error">
          <strong>Last error</strong> {status.lastError}
        </p>
      )}
    </>
  );
}

/** What to do with a version whose feed was rebuilt. */
function Outdated({ version, versions }: Pick<ProjectionFacts, "version" | "versions">): VNode {
  const next = Math.max(...versions) + 1;
  const newer = versions.filter((each) => each > version);
  return (
    <div class="projection-error">
      <p>
        <strong>The feed was rebuilt</strong> since version {version} began, and positions of the old feed are
        not valid in the new one. This version applies nothing more; what it has written stays.
      </p>
      <p>
        {newer.length > 0
          ? `Version ${newer.join(" and version ")} may follow the new feed: choose it above, and make it the current one when it has caught up. `
          : `Run the projection with version ${next}: it starts at the beginning of the new feed, beside this one. Then make it the current one here. `}
        <a href={servedPath("/docs/how-to/rebuild-a-projection.html")}>How to rebuild a projection</a>
      </p>
    </div>
  );
}

function lagText(events: number, ms: number): string {
  return events === 0 ? "none" : `${counted(events, "event")}, ${seconds(ms)}`;
}

function seconds(ms: number): string {
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000).toLocaleString()} min`;
}
