import type { ProjectionStatus } from "@tablekeep/feed/projections";
import type { JournalConfig } from "../../server/options/store-configs.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import { unreadableItems } from "../journal/find-feed.ts";
import { journalIn } from "../journal/find-journal.ts";
import { hasTable, type OpenStore } from "../store/open-store.ts";
import { type DoctorFinding, findingOf } from "./doctor-finding.ts";

/** A feed that is further behind than this is worth a note. */
const lateMs = 60_000;

/** Checks the feed and the projections of each journal that has them. `runs`: whether the server runs feeds. */
export async function checkFeeds(
  store: OpenStore,
  journals: readonly JournalConfig[],
  { signal }: CommandIo,
  runs: boolean,
): Promise<readonly DoctorFinding[]> {
  const { journalTableSpec } = await import("@tablekeep/journal");
  const findings: DoctorFinding[] = [];
  for (const config of journals) {
    const table = journalTableSpec(config.journal).name;
    if (!(await hasTable(store, table))) continue;
    const checks = { feed: `feed ${config.name}`, projections: `projections ${config.name}` };
    const feed = await guarded(checks.feed, () => checkFeed(store, table, checks.feed, { signal, runs }));
    findings.push(...feed);
    if (feed.length > 0)
      findings.push(
        ...(await guarded(checks.projections, () => checkProjections(store, config, table, signal))),
      );
  }
  return findings;
}

async function guarded(
  check: string,
  run: () => Promise<readonly DoctorFinding[]>,
): Promise<readonly DoctorFinding[]> {
  try {
    return await run();
  } catch (error) {
    return [findingOf(check, error)];
  }
}

/** The feed of a journal; nothing if there is none. */
async function checkFeed(
  store: OpenStore,
  table: string,
  check: string,
  { signal, runs }: { readonly signal: AbortSignal; readonly runs: boolean },
): Promise<readonly DoctorFinding[]> {
  const { isFeedError, openFeed } = await import("@tablekeep/feed");
  const feed = await openFeed(store.port, { journal: await journalIn(store, { table }, signal) });
  try {
    const { lease, lagMs = 0, state, slices, unreadable } = await feed.status({ signal });
    const count = slices.reduce((sum, slice) => sum + slice.events, 0);
    const events = counted(count, "event");
    const corrupt = slices.find(({ error }) => error !== undefined)?.error;
    if (corrupt !== undefined) return [{ check, status: "wrong", reason: "corrupt", message: corrupt }];
    if (unreadable !== undefined) {
      const message = unreadableItems(unreadable);
      return [{ check, status: "wrong", reason: "unreadable", details: unreadable, message }];
    }
    if (lease === undefined) {
      const advice = runs
        ? '"tablekeep serve" runs it'
        : 'run it with "tablekeep serve --feed" or "tablekeep feed run"';
      const message = `${events}, and no process runs it: ${advice}`;
      return [{ check, status: "note", reason: "not-running", details: { events: count }, message }];
    }
    const { owner } = lease;
    const late = { check, status: "note", reason: "behind", details: { owner, lagMs } } as const;
    const running = { check, status: "ok", reason: "running", details: { owner, events: count } } as const;
    const isLate = state === "live" && lagMs > lateMs;
    return isLate
      ? [{ ...late, message: `${lagText(lagMs)} behind: read the log of ${owner}` }]
      : [{ ...running, message: `${events}, run by ${owner}` }];
  } catch (error) {
    if (isFeedError(error, "FEED_UNKNOWN")) return [];
    throw error;
  }
}

function lagText(ms: number): string {
  return counted(Math.round(ms / 60_000), "minute");
}

async function checkProjections(
  store: OpenStore,
  { projectionsTable }: JournalConfig,
  table: string,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const { openProjections, projectionTableSpec } = await import("@tablekeep/feed/projections");
  const ofProjections = projectionsTable ?? projectionTableSpec().name;
  if (!(await hasTable(store, ofProjections))) return [];
  const journal = await journalIn(store, { table }, signal);
  const projections = await openProjections(store.port, { table: ofProjections, feed: { journal } });
  const findings: DoctorFinding[] = [];
  for (const { name } of await projections.list({ signal }))
    findings.push(projectionFinding(await projections.status(name, { signal })));
  return findings;
}

function projectionFinding(status: ProjectionStatus): DoctorFinding {
  const { name, version, state, parked, lagEvents, runners, slices } = status;
  const check = `projection ${name}`;
  const failed = slices.find((slice) => slice.failed !== undefined)?.failed;
  if (state === "stopped") {
    if (failed === undefined) {
      const error = status.lastError ?? "";
      const message = `version ${version} is stopped: ${error}`;
      return { check, status: "wrong", reason: "stopped", details: { version, error }, message };
    }
    const event = `event ${failed.sequenceNr} of ${failed.persistenceId}: ${failed.error}`;
    const advice = `fix its handler, then "tablekeep projection resume ${name}", or "skip"`;
    const message = `version ${version} was stopped by ${event}; ${advice}`;
    return { check, status: "wrong", reason: "stopped", details: { version, ...failed }, message };
  }
  if (state === "paused")
    return {
      check,
      status: "note",
      reason: "paused",
      details: { version },
      message: `version ${version} is paused: "tablekeep projection resume ${name}"`,
    };
  if (parked > 0) {
    const advice = `"tablekeep projection parked ${name}" shows why, "retry" applies them again`;
    const message = `${counted(parked, "parked event")}: ${advice}`;
    return { check, status: "note", reason: "parked", details: { version, parked }, message };
  }
  const behind = `${counted(lagEvents, "event")} behind`;
  const details = { version, lagEvents };
  const found = { check, status: "note", reason: "not-running", details } as const;
  return lagEvents > 0 && runners.length === 0
    ? { ...found, message: `${behind}, and no process runs it: start the program that does` }
    : { check, status: "ok", reason: "running", details, message: `version ${version}, ${behind}` };
}
