import { callApi } from "../api/call-api.ts";
import { pathPart } from "../api/path-part.ts";
import { parseExact } from "../json/exact-json.ts";

export type RolloutPhase =
  | "preparing"
  | "running"
  | "paused"
  | "cancelled"
  | "succeeded"
  | "rolling-back"
  | "rolled-back";

/** A desired state for the shadows that a query matches, in waves. */
export interface Rollout {
  readonly name: string;
  readonly phase: RolloutPhase;
  /** Why it is paused or cancelled, if nobody requested it. */
  readonly reason?: string;
  /** The current wave, from 1; 0 before the first. */
  readonly wave: number;
  /** The sizes of the waves, once the things are chosen. */
  readonly waves: readonly (number | string)[];
  readonly query: string;
  /** The name of the shadows; "" for the classic ones. */
  readonly shadow: string;
  readonly desired: Readonly<Record<string, unknown>>;
  readonly gate: {
    readonly succeeded: number;
    readonly withinMs: number;
    readonly onFailure: "pause" | "roll-back";
  };
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The state of a thing in a rollout. */
export interface RolloutThing {
  readonly thing: string;
  readonly wave: number;
  readonly status: string;
  readonly reason?: string;
}

/** A rollout to create. */
export interface NewRollout extends Pick<Rollout, "name" | "query" | "shadow" | "desired" | "waves"> {
  readonly gate: Rollout["gate"];
}

const root = "/api/v3/shadow-rollouts";
const pathOf = (name: string) => `${root}/${pathPart(name)}`;

/** All rollouts, newest first. */
export async function fetchRollouts(signal: AbortSignal): Promise<readonly Rollout[]> {
  const { rollouts } = await callApi<{ rollouts: Rollout[] }>(root, { signal, parse: parseExact });
  return rollouts.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
}

export function fetchRollout(name: string, signal: AbortSignal): Promise<Rollout> {
  return callApi<Rollout>(pathOf(name), { signal, parse: parseExact });
}

/** Things of a page. */
const thingsOfPage = 500;

/** The first pages of the things of a rollout, by wave and name; `isComplete` if there are no more. */
export async function fetchThings(
  name: string,
  pages: number,
  signal: AbortSignal,
): Promise<{ readonly things: readonly RolloutThing[]; readonly isComplete: boolean }> {
  const things: RolloutThing[] = [];
  let next: string | undefined = "";
  for (let page = 0; page < pages && next !== undefined; page++) {
    const query = new URLSearchParams({ limit: String(thingsOfPage), next });
    const read: { things: RolloutThing[]; next?: string } = await callApi(`${pathOf(name)}/things?${query}`, {
      signal,
    });
    things.push(...read.things);
    next = read.next;
  }
  return { things, isComplete: next === undefined };
}

export async function createRollout(rollout: NewRollout): Promise<void> {
  await callApi(root, { method: "POST", body: rollout, parse: parseExact });
}

/** Changes to a rollout, by the names of their paths. */
export type RolloutChange = "pause" | "resume" | "cancel" | "rollback";

export async function changeRollout(name: string, change: RolloutChange, body: object = {}): Promise<void> {
  await callApi(`${pathOf(name)}/${change}`, { method: "POST", body, parse: parseExact });
}
