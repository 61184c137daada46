import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { isSameValue } from "../document/document-value.ts";
import { stateChanges, valueAtPointer } from "../merge/state-changes.ts";
import type { ValueChange } from "../merge/value-change.ts";
import { checkCall, type ShadowCallOptions } from "../model/call-options.ts";
import { checkOptions, optionInvalid, ShadowError } from "../model/shadow-error.ts";
import type { HistoryRow } from "../rows/history-row.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import { shadowIdOf } from "../store/check-operation.ts";
import { shadowOf } from "../store/read-shadows.ts";
import { readEntries, readVersion } from "../store/read-versions.ts";
import { beginCall, type StoreCall, type StoreContext } from "../store/store-options.ts";
import type {
  HistoryEntry,
  HistoryPage,
  HistoryPoint,
  HistoryRequest,
  ShadowHistory,
} from "./shadow-history.ts";
import { type ShadowView, viewOf } from "./shadow-view.ts";

const checks: OptionChecks<HistoryRequest> = {
  id: optionCheck.string,
  name: optionCheck.string,
  path: (value) =>
    /^\/(?:reported|desired)(?:\/|$)/.test(String(value))
      ? undefined
      : "must be a JSON pointer that begins with /reported or /desired",
  limit: optionCheck.integer(1, 1000),
  token: (value) => (/^\d{16}x?$/.test(String(value)) ? undefined : "must be the token of a page"),
};

/** A page ends after this many entries, even if few of them match. */
const maxRead = 1_000;
/** The maximum number of times that a read is repeated because the shadow was written during it. */
const maxRestarts = 5;

/** Reads the current shadow. */
type ReadCurrent = (shadow: ShadowId, call: ShadowCallOptions) => Promise<ShadowView | undefined>;

/** Reads the history of the shadows of a store. */
export function shadowHistory(context: StoreContext, current: ReadCurrent): ShadowHistory {
  const at = async (shadow: ShadowId, point: HistoryPoint, call: StoreCall) => {
    const now = () => {
      const { signal, deadlineMs } = call.request();
      return current(shadow, { signal, deadlineMs });
    };
    if (typeof point === "number") {
      const entry = await readVersion(call, shadow, checkPoint(point));
      if (entry !== undefined) return viewOfEntry(shadow, entry);
      const view = await now();
      return view?.version === point ? view : undefined;
    }
    const time = BigInt(checkPoint(point.getTime())) * 1_000_000n;
    return atTime(call, shadow, time, now);
  };
  return {
    async at(shadow, point, given = {}) {
      checkCall(given);
      return at(shadowIdOf(shadow), point, beginCall(context, given));
    },
    async diff(shadow, from, to, given = {}) {
      checkCall(given);
      const id = shadowIdOf(shadow);
      const call = beginCall(context, given);
      const [before, after] = [await at(id, from, call), await at(id, to, call)];
      for (const [point, view] of [[from, before] as const, [to, after] as const])
        if (view === undefined && typeof point === "number") throw notKept(id, point);
      return stateChanges(before?.state, after?.state);
    },
    async history(request, given = {}) {
      checkCall(given);
      checkOptions(request, checks);
      const call = beginCall(context, given);
      return readPage(call, request, () => current(shadowIdOf(request), { signal: given.signal }));
    },
  };
}

function checkPoint(point: number): number {
  if (Number.isSafeInteger(point) && point >= 0) return point;
  throw optionInvalid("point", "must be a version from 0 or a valid date");
}

async function atTime(
  call: StoreCall,
  shadow: ShadowId,
  time: bigint,
  now: () => Promise<ShadowView | undefined>,
): Promise<ShadowView | undefined> {
  for (let restart = 0; ; restart++) {
    let next: HistoryRow | undefined;
    let found: HistoryRow | undefined;
    for await (const entry of readEntries(call, shadow)) {
      found = entry;
      if (entry.timeStamp <= time) break;
      next = entry;
      found = undefined;
    }
    if (next !== undefined) {
      if (!follows(found, next)) throw gap(shadow, found?.version, next.version);
      return found && viewOfEntry(shadow, found);
    }
    // The history has nothing newer, but the shadow may be newer.
    const view = await now();
    if (isSame(found, view)) return view;
    if (restart < maxRestarts && (await newestOf(call, shadow)) !== found?.entry) continue;
    if (view !== undefined && view.timeStamp <= time) return view;
    throw gap(shadow, found?.version, view?.version);
  }
}

/** Whether an entry represents the current state: the shadow's version, or its deletion. */
function isSame(entry: HistoryRow | undefined, view: ShadowView | undefined): boolean {
  if (view === undefined) return entry?.row === undefined;
  return entry?.row !== undefined && entry.version === view.version && entry.timeStamp === view.timeStamp;
}

async function newestOf(call: StoreCall, shadow: ShadowId): Promise<string | undefined> {
  for await (const { entry } of readEntries(call, shadow, { limit: 1 })) return entry;
  return undefined;
}

/** Whether nothing happened between two entries; `before` is undefined if the history begins with `entry`. */
function follows(before: HistoryRow | undefined, entry: HistoryRow): boolean {
  if (before?.row === undefined) return entry.previous === 0;
  return entry.previous === before.version;
}

function viewOfEntry(shadow: ShadowId, { row }: HistoryRow): ShadowView | undefined {
  return row && viewOf(shadowOf(shadow, "combined", [row]));
}

async function readPage(
  call: StoreCall,
  { path, limit = 100, token, ...name }: HistoryRequest,
  now: () => Promise<ShadowView | undefined>,
): Promise<HistoryPage> {
  const shadow = shadowIdOf(name);
  const entries: HistoryEntry[] = [];
  let [newest, entry]: (HistoryRow | undefined)[] = [];
  let end: string | undefined;
  let read = 0;
  const add = (row: HistoryRow, before: HistoryRow | undefined) => {
    const listed = entryOf(shadow, row, before);
    if (path === undefined || touches(shadow, row, before, path))
      entries.push({ ...listed, changes: listed.changes.filter((change) => isWithin(change, path)) });
  };
  const pageSize = path === undefined ? limit + 1 : undefined;
  for await (const before of readEntries(call, shadow, { after: token, limit: pageSize })) {
    newest ??= before;
    if (entry !== undefined) {
      add(entry, before);
      end = entry.entry;
    }
    entry = before;
    if (++read > maxRead || entries.length === limit) break;
    end = undefined;
  }
  if (end === undefined && entry !== undefined) add(entry, undefined);
  const view = token === undefined ? await now() : undefined;
  const hasGap =
    token === undefined && !isSame(newest, view) && !(newest === undefined && isExpired(call, view));
  return { entries, gap: hasGap && (await isBehind(call, shadow, newest)), ...(end && { token: end }) };
}

/** Whether the entry of the current version would have expired. If so, its absence does not mean that the writer keeps no history. */
function isExpired({ options: { history, clock } }: StoreCall, view: ShadowView | undefined): boolean {
  if (view === undefined || history?.maxAgeMs === undefined) return false;
  return Number(view.timeStamp / 1_000_000n) + history.maxAgeMs <= clock.now();
}

/** Whether the history ends with this entry, so that nothing was written while its page was read. */
async function isBehind(call: StoreCall, shadow: ShadowId, newest: HistoryRow | undefined): Promise<boolean> {
  return (await newestOf(call, shadow)) === newest?.entry;
}

function entryOf(shadow: ShadowId, row: HistoryRow, before: HistoryRow | undefined): HistoryEntry {
  const { version, timeStamp } = row;
  const [view, earlier] = [viewOfEntry(shadow, row), before && viewOfEntry(shadow, before)];
  return {
    kind: view === undefined ? "deleted" : "updated",
    version,
    timeStamp,
    clientToken: view?.clientToken ?? "",
    gap: !follows(before, row),
    changes: stateChanges(earlier?.state, view?.state),
  };
}

/** Whether the value at a pointer differs between two entries. */
function touches(shadow: ShadowId, row: HistoryRow, before: HistoryRow | undefined, path: string): boolean {
  const [, half = "", rest = ""] = /^\/(reported|desired)(.*)$/s.exec(path) ?? [];
  const at = (entry: HistoryRow | undefined) => {
    const state = entry && viewOfEntry(shadow, entry)?.state[half as "reported" | "desired"];
    return rest === "" ? state : valueAtPointer(state, rest);
  };
  return !isSameValue(at(row), at(before));
}

/** Whether a change is at a pointer, below it, or above it. */
function isWithin(change: ValueChange, path: string | undefined): boolean {
  if (path === undefined) return true;
  const place = `/${change.half}${change.path}`;
  return `${place}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${place}/`);
}

function gap(
  { id, name }: ShadowId,
  after: number | undefined,
  before: number | undefined,
): ShadowError<"SHADOW_HISTORY_GAP"> {
  const place = `between ${after === undefined ? "the beginning" : `version ${after}`} and ${before === undefined ? "now" : `version ${before}`}`;
  return new ShadowError(
    "SHADOW_HISTORY_GAP",
    `the history of ${shadowTitle({ id, name })} has a gap ${place}: read the versions that it has with history`,
    { id, name, after, before },
  );
}

/** The error for a version that was removed, never kept, or not written yet. */
function notKept({ id, name }: ShadowId, version: number): ShadowError<"SHADOW_HISTORY_GAP"> {
  return new ShadowError(
    "SHADOW_HISTORY_GAP",
    `version ${version} of ${shadowTitle({ id, name })} is not in its history: read the versions that it has with history`,
    { id, name, version, after: undefined, before: undefined },
  );
}

function shadowTitle({ id, name }: ShadowId): string {
  return name === "" ? `the shadow of ${id}` : `shadow "${name}" of ${id}`;
}
