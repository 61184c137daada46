import type { Item, Outcome } from "@tablekeep/core";
import type { Half, VersionConflict } from "../model/shadow-error.ts";
import { keptAttribute } from "../rows/history-row.ts";
import { firstVersion, type VersionMemory } from "../rows/row-actions.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import {
  attributeOf,
  expiryAttribute,
  lastVersion,
  miscasedNames,
  versionOf,
  versionUnsafe,
} from "../rows/stored-row.ts";
import {
  alreadyReplaced,
  asShadowOutcome,
  asTablekeepError,
  contention,
  duplicateFound,
  operationInvalid,
  shadowIdOf,
  shadowNotFound,
  versionConflict,
} from "./check-operation.ts";
import { fetchRows } from "./fetch-rows.ts";
import { checkKept, newestVersion } from "./keep-history.ts";
import { firstStep, type PlannedRow, planWrite, type RowStep, type RowWrite } from "./plan-write.ts";
import { type Obstacle, sendRows } from "./send-rows.ts";
import type { WriteOperation, WrittenShadow } from "./shadows.ts";
import type { StoreCall } from "./store-options.ts";

/** Attempts for creating an absent item, and for finding its remembered version: these are not conflicts. */
const ownDetours = 2;

/** Writes one shadow. */
export async function writeShadow(
  call: StoreCall,
  operation: WriteOperation,
): Promise<Outcome<WrittenShadow>> {
  try {
    const timeStamp = call.nanoseconds();
    const shadow = shadowIdOf(operation);
    const isReplacement = operation.replaces !== undefined;
    if (isReplacement && call.options.history !== undefined)
      throw operationInvalid(shadow, "replaces cannot be used with a history");
    const planned = planWrite(operation, call.options.model, timeStamp);
    if (call.options.history !== undefined)
      checkKept(
        shadow,
        planned.map(({ content }) => content),
      );
    const first = planned.map((row) => ({ ...row, step: firstStep(row) }));
    let rows: readonly RowWrite[] = needsRead(call, planned) ? await begin(call, first) : first;
    const attempts = 1 + ownDetours + call.options.maxWriteRetries;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const sent = await sendRows(call, rows);
      if (sent.kind === "ok")
        return { kind: "ok", value: { versions: versionsOf(rows, sent.versions), timeStamp } };
      if (sent.kind === "ended") return asShadowOutcome(shadow, sent.outcome);
      if (isReplacement) return { kind: "conflict", error: alreadyReplaced(shadow) };
      const obstacles = sent.obstacles ?? (await readCurrent(call, rows));
      const end = endBy(shadow, rows, obstacles);
      if (end !== undefined) return end;
      const next = rows.map((row, at, { length }) => {
        const own = obstacles.filter((each) => each.row === at);
        return { ...row, step: nextStep(call, row, own, length === 1) };
      });
      rows = await Promise.all(next.map((row) => resumed(call, row)));
    }
    return { kind: "conflict", error: contention(shadow, attempts) };
  } catch (error) {
    return { kind: "rejected", error: asTablekeepError(error) };
  }
}

/**
 * The first step of each row. Both halves are one transaction, which does not return the new versions: halves without an
 * expected version are read first, and written only if they have not changed.
 */
async function begin(call: StoreCall, rows: readonly RowWrite[]): Promise<RowWrite[]> {
  if (call.options.history !== undefined) return beginKept(call, rows);
  const fetched = await fetchRows(
    call,
    rows.filter(({ expected }) => expected === undefined).map(({ content }) => content),
  );
  return rows.map((row) => {
    if (row.expected !== undefined) return row;
    const found = fetched(row.content);
    if ("error" in found) throw found.error;
    return { ...row, step: stepFor(row, found.item) };
  });
}

function needsRead(call: StoreCall, planned: readonly PlannedRow[]): boolean {
  if (call.options.history !== undefined) return true;
  return planned.length > 1 && planned.some(({ expected }) => expected === undefined);
}

/**
 * The first step of each row of a shadow with a history. An update from a known version expects that the history ends there, and
 * needs no other request; anything else reads where the history ends.
 */
async function beginKept(call: StoreCall, rows: readonly RowWrite[]): Promise<RowWrite[]> {
  const begun: RowWrite[] = [];
  for (const row of rows) {
    const { step, expected, content } = row;
    if (step.mode === "update" && expected !== undefined) {
      begun.push({ ...row, step: { ...step, kept: { to: expected + 1, continues: true } } });
      continue;
    }
    const found = expected === undefined ? (await fetchRows(call, [content]))(content) : { item: undefined };
    if ("error" in found) throw found.error;
    begun.push(
      await resumed(call, expected === undefined ? { ...row, step: stepFor(row, found.item) } : row),
    );
  }
  return begun;
}

/**
 * The step of a row after the newest entry of its history: versions that others have written since are missing there, and versions
 * of an earlier shadow with this name must not be mixed with the current ones.
 */
async function resumed(call: StoreCall, row: RowWrite): Promise<RowWrite> {
  const { history } = call.options;
  if (history === undefined) return row;
  const { content, step } = row;
  const newest = await newestVersion(call, content, history.table);
  const before = step.mode === "update" ? (step.from ?? 0) : firstVersion(step.memory) - 1;
  const to = Math.max(before, newest) + 1;
  if (to > lastVersion) throw versionUnsafe(content, String(to));
  if (step.mode === "create") return { ...row, step: { ...step, kept: to } };
  return { ...row, step: { ...step, kept: { to, continues: false } } };
}

/** The step for an item without an expected version. */
function stepFor(row: RowWrite, item: Item | undefined): RowStep {
  if (item === undefined) return { mode: "create", memory: undefined };
  const from = versionOf(item, row.content);
  if (from === lastVersion) throw versionUnsafe(row.content, String(from));
  const wasKept = item[keptAttribute]?.N === String(from);
  return { mode: "update", from, odd: miscasedNames(item), wasKept };
}

/** The current items, if the conflict itself did not return them. */
async function readCurrent(call: StoreCall, rows: readonly RowWrite[]): Promise<Obstacle[]> {
  const fetched = await fetchRows(
    call,
    rows.map(({ content }) => content),
  );
  return rows.map(({ content }, row) => {
    const found = fetched(content);
    if ("error" in found) throw found.error;
    return { role: "item", row, current: found.item };
  });
}

/** The outcome of a write that no further attempt can change; undefined if another attempt may succeed. */
function endBy(
  shadow: ShadowId,
  rows: readonly RowWrite[],
  obstacles: readonly Obstacle[],
): Outcome<never> | undefined {
  const conflicts = obstacles.flatMap(({ role, row: at, current }): VersionConflict[] => {
    const row = rows[at];
    if (role !== "item" || row === undefined || row.expected === undefined) return [];
    const version = current === undefined ? undefined : versionOf(current, row.content);
    // The version matches under a miscased name: the next attempt uses the item's spelling.
    if (version === row.expected) return [];
    return [{ kind: row.content.kind, expected: row.expected, current: version }];
  });
  if (conflicts.length > 0) {
    return conflicts.every(({ current }) => current === undefined)
      ? { kind: "rejected", error: shadowNotFound(shadow) }
      : { kind: "conflict", error: versionConflict(shadow, conflicts) };
  }
  const duplicate = obstacles.find(({ role }) => role === "duplicate");
  if (duplicate === undefined) return undefined;
  const standing = rows[duplicate.row]?.content.kind === "combined" ? "separate" : "combined";
  return { kind: "conflict", error: duplicateFound(shadow, standing) };
}

function nextStep(call: StoreCall, row: RowWrite, own: readonly Obstacle[], isOnly: boolean): RowStep {
  const item = own.find(({ role }) => role === "item");
  if (item !== undefined) {
    const step = stepFor(row, item.current);
    // A single update needs no version: it is atomic.
    const anyVersion = isOnly && row.expected === undefined && call.options.history === undefined;
    return anyVersion && step.mode === "update" ? { ...step, from: undefined } : step;
  }
  const memory = own.find(({ role }) => role === "memory");
  return memory === undefined ? row.step : creationAfter(row, memoryOf(memory.current, call));
}

function creationAfter({ content }: RowWrite, memory: VersionMemory | undefined): RowStep {
  if (memory !== undefined && firstVersion(memory) > lastVersion)
    throw versionUnsafe(content, memory.version);
  return { mode: "create", memory };
}

/** The remembered version of a deleted item, and whether it still counts. */
export function memoryOf(item: Item | undefined, call: StoreCall): VersionMemory | undefined {
  const version = item === undefined ? undefined : attributeOf(item, "Version")?.N;
  if (item === undefined || version === undefined) return undefined;
  const expiresAt = Number(item[expiryAttribute]?.N ?? Number.POSITIVE_INFINITY);
  return { version, expired: expiresAt * 1000 <= call.options.clock.now() };
}

function versionsOf(rows: readonly RowWrite[], versions: readonly number[]): WrittenShadow["versions"] {
  const written: Partial<Record<Half, number>> = {};
  for (const [at, { content }] of rows.entries()) {
    const version = versions[at] ?? 0;
    if (content.kind !== "desired") written.reported = version;
    if (content.kind !== "reported") written.desired = version;
  }
  return written;
}
