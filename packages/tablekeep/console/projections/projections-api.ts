import { callApi } from "../api/call-api.ts";
import { pathPart } from "../api/path-part.ts";
import type { Question } from "../shell/confirm.tsx";

/** An event that a projection could not apply. */
export interface FailedEvent {
  readonly offset: number;
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly error: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A parked event. */
export interface ParkedEvent extends FailedEvent {
  readonly slice: number;
  /** Whether it is about to be applied again. */
  readonly retry: boolean;
}

/** The progress of a projection in one slice of the feed. */
export interface SliceStatus {
  readonly slice: number;
  readonly offset: number;
  readonly events: number;
  readonly lagEvents: number;
  readonly lagMs: number;
  readonly owner?: string;
  readonly movedAt: number;
  readonly error?: string;
  readonly failed?: FailedEvent;
}

/** One version of a projection, as a list has it. */
export interface ProjectionFacts {
  readonly name: string;
  readonly version: number;
  readonly current: number;
  readonly versions: readonly number[];
  readonly mode: string;
  readonly state: "running" | "paused" | "stopped";
  /** Whether the feed was rebuilt, and this version does not follow it any more. */
  readonly outdated: boolean;
  readonly feed: { readonly name: string; readonly type?: string; readonly tag?: string };
  readonly lagEvents: number;
  readonly lagMs: number;
  readonly eventsPerSecond: number;
  readonly parked: number;
  readonly lastError?: string;
  readonly runners: readonly string[];
}

/** The same with its slices. */
export interface ProjectionStatus extends ProjectionFacts {
  readonly slices: readonly SliceStatus[];
}

/** Names a projection. */
export interface ProjectionTarget {
  readonly journal: string;
  readonly name: string;
  /** Undefined is the current one. */
  readonly version: number | undefined;
}

function pathOf(journal: string, ...parts: string[]): string {
  return ["/api/v3/journals", journal, "projections", ...parts]
    .map((part, at) => (at === 0 ? part : pathPart(part)))
    .join("/");
}

export async function fetchProjections(
  journal: string,
  signal: AbortSignal,
): Promise<readonly ProjectionFacts[]> {
  const { projections } = await callApi<{ projections: ProjectionFacts[] }>(pathOf(journal), { signal });
  return projections;
}

/** The maximum number of parked events that are shown. */
const maxParked = 200;

/** A projection and its first parked events. */
export interface ProjectionView {
  readonly status: ProjectionStatus;
  readonly parked: readonly ParkedEvent[];
}

export async function fetchProjection(
  target: ProjectionTarget,
  signal: AbortSignal,
): Promise<ProjectionView> {
  const { journal, name, version } = target;
  const query = version === undefined ? "" : `version=${version}`;
  const [status, { parked }] = await Promise.all([
    callApi<ProjectionStatus>(`${pathOf(journal, name)}?${query}`, { signal }),
    callApi<{ parked: ParkedEvent[] }>(`${pathOf(journal, name)}/parked?limit=${maxParked}&${query}`, {
      signal,
    }),
  ]);
  return { status, parked };
}

/** Changes to a projection, by the names of their paths. */
export type ProjectionChange =
  | "pause"
  | "resume"
  | "skip"
  | "rewind"
  | "switch"
  | "parked/retry"
  | "parked/drop";

/** Carries out a change, after a confirmation if there is a question, and reports the result. */
export type RunChange = (work: () => Promise<void>, done: string, question?: Question) => Promise<void>;

export async function changeProjection(
  { journal, name, version }: ProjectionTarget,
  change: ProjectionChange,
  body: object = {},
): Promise<void> {
  const named = version === undefined ? {} : { version };
  await callApi(`${pathOf(journal, name)}/${change}`, { method: "POST", body: { ...named, ...body } });
}

export async function removeProjection(
  { journal, name }: ProjectionTarget,
  version: number | undefined,
): Promise<void> {
  const query = version === undefined ? "" : `?version=${version}`;
  await callApi(pathOf(journal, name) + query, { method: "DELETE" });
}
