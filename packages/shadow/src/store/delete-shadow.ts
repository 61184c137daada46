import { transactWrite } from "@tablekeep/client";
import type { Item, OptionChecks, Outcome, TransactWriteItem } from "@tablekeep/core";
import type { Half, RowKind } from "../model/shadow-error.ts";
import { historyKeyNames, keptAttribute } from "../rows/history-row.ts";
import { deleteRow, rememberVersion } from "../rows/row-actions.ts";
import type { RowId, ShadowId } from "../rows/row-keys.ts";
import { attributeOf, nameIn, versionOf, versionTextOf, writeIdAttribute } from "../rows/stored-row.ts";
import {
  anything,
  asShadowOutcome,
  asTablekeepError,
  checkOperation,
  contention,
  expectedVersions,
  half,
  operationChecks,
  operationInvalid,
  shadowIdOf,
  shadowNotFound,
  versionConflict,
} from "./check-operation.ts";
import { type FetchedRows, fetchRows } from "./fetch-rows.ts";
import { deletionOf, historyOf, newestVersion } from "./keep-history.ts";
import { type ActionRole, keyNames } from "./plan-write.ts";
import { obstaclesOf } from "./send-rows.ts";
import type { DeleteOperation, WrittenShadow } from "./shadows.ts";
import type { StoreCall } from "./store-options.ts";

const checks: OptionChecks<DeleteOperation> = { ...operationChecks, half, version: anything };

/** A valid delete: its items, each with its expected version. */
export interface PlannedDelete {
  readonly shadow: ShadowId;
  readonly rows: readonly (RowId & { readonly expected: number | undefined })[];
}

/** An existing item, and its version. */
interface ExistingRow extends RowId {
  /** As stored, because items of other programs can be deleted as well. */
  readonly version: string;
  /** How the item spells "Version". */
  readonly versionName: string;
  /** A higher remembered version of an earlier item with this key. */
  readonly higher?: string;
  /** Whether the newest entry of the history has this version. */
  readonly isKept: boolean;
}

/** The items of a delete. Throws for an invalid one. */
export function planDelete(call: StoreCall, operation: DeleteOperation): PlannedDelete {
  checkOperation(operation, checks);
  const shadow = shadowIdOf(operation);
  const model = operation.model ?? call.options.model;
  if (model === "combined" && operation.half !== undefined)
    throw operationInvalid(shadow, "a combined shadow is deleted as a whole: omit half");
  if (model === "separate" && call.options.history !== undefined)
    throw operationInvalid(shadow, "a history requires the model combined: omit the model, or pass combined");
  const halves: readonly Half[] = operation.half === undefined ? ["reported", "desired"] : [operation.half];
  const expected = expectedVersions(shadow, model, halves, operation.version);
  const rows = [...expected].map(([kind, version]) => ({ ...shadow, kind, expected: version }));
  return { shadow, rows };
}

/** Whether the items must be read first, because the operation names no version, or a history continues. */
export function needsRead({ rows }: PlannedDelete, hasHistory = false): boolean {
  return hasHistory || rows.some(({ expected }) => expected === undefined);
}

/** Deletes one shadow. `read` contains its items, if they were read. */
export async function deleteShadow(
  call: StoreCall,
  plan: PlannedDelete,
  read: FetchedRows | undefined,
): Promise<Outcome<WrittenShadow>> {
  const { shadow, rows } = plan;
  try {
    // Finding a higher remembered version takes an attempt, and is not a conflict.
    const attempts = 2 + call.options.maxWriteRetries;
    const higher = new Map<RowKind, string>();
    let fetched = read;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const existing = rows
        .flatMap((row) => existingRow(row, fetched))
        .map((row): ExistingRow => ({ ...row, higher: higher.get(row.kind) }));
      if (existing.length === 0) return { kind: "rejected", error: shadowNotFound(shadow) };
      const outcome = await sendDelete(call, existing);
      if (outcome.kind === "ok") return { kind: "ok", value: deleted(call, existing) };
      if (outcome.kind !== "conflict") return asShadowOutcome(shadow, outcome);
      const end = await endBy(call, plan, outcome.error);
      if (end !== undefined) return end;
      higher.clear();
      for (const [kind, version] of higherMemories(existing, outcome.error)) higher.set(kind, version);
      fetched = await fetchRows(call, rows);
    }
    return { kind: "conflict", error: contention(shadow, attempts) };
  } catch (error) {
    return { kind: "rejected", error: asTablekeepError(error) };
  }
}

function existingRow(row: PlannedDelete["rows"][number], fetched: FetchedRows | undefined): ExistingRow[] {
  const { kind, id, name, expected } = row;
  const found = fetched?.(row) ?? { item: undefined };
  if (fetched === undefined && expected !== undefined)
    return [{ kind, id, name, version: String(expected), versionName: "Version", isKept: false }];
  if ("error" in found) throw found.error;
  if (found.item === undefined && expected === undefined) return [];
  const item = found.item ?? {};
  const version = expected === undefined ? versionTextOf(item, row) : String(expected);
  const isKept = item[keptAttribute]?.N === version;
  return [{ kind, id, name, version, versionName: nameIn(item, "Version"), isKept }];
}

/** The entries of a deletion, after the newest ones of the history. */
async function deletionEntries(call: StoreCall, rows: readonly ExistingRow[]): Promise<TransactWriteItem[]> {
  const history = historyOf(call);
  if (history === undefined) return [];
  const entries: TransactWriteItem[] = [];
  for (const row of rows) {
    const previous = Math.floor(Number(row.version));
    const newest = row.isKept ? 0 : await newestVersion(call, row, history.table);
    // An earlier shadow of this name may have had higher versions.
    const version = newest > previous ? newest + 1 : previous;
    entries.push({
      Put: deletionOf(history, row, call.nanoseconds(), { version, previous: row.isKept ? previous : -1 }),
    });
  }
  return entries;
}

/** Deletes the items and remembers their versions, in one transaction. */
async function sendDelete(call: StoreCall, rows: readonly ExistingRow[]): Promise<Outcome<unknown>> {
  const { table, versionMemoryMs, clock, logger, history } = call.options;
  const time = {
    now: Math.floor(clock.now() / 1000),
    expiresAt: Math.ceil((clock.now() + versionMemoryMs) / 1000),
  };
  const actions = [
    ...rows.map((row) => ({ Delete: deleteRow(table, row, row.version, row.versionName) })),
    ...rows.map((row) => ({
      Put: rememberVersion(table, row, { ...time, version: row.version, higher: row.higher }),
    })),
    ...(await deletionEntries(call, rows)),
  ];
  return transactWrite(call.port, actions, {
    writeId: {
      attribute: writeIdAttribute,
      keyNames: { [table]: keyNames, ...(history && { [history.table]: historyKeyNames }) },
    },
    // Only one delete stores this version; a higher one may have followed it.
    attribution: (current, action) => {
      const row = rows[action - rows.length];
      const version = current === undefined ? undefined : attributeOf(current, "Version")?.N;
      // A higher version may also have been remembered before.
      return row !== undefined && row.higher === undefined && version === row.version ? "theirs" : "unclear";
    },
    logger,
    ...call.request(),
  });
}

/** The higher remembered versions that made a delete fail. */
function higherMemories(rows: readonly ExistingRow[], error: unknown): [RowKind, string][] {
  const roles = [
    ...rows.map((_, row): ActionRole => ({ role: "item", row })),
    ...rows.map((_, row): ActionRole => ({ role: "memory", row })),
  ];
  return (obstaclesOf(error, roles) ?? []).flatMap(({ role, row, current }): [RowKind, string][] => {
    const version = current === undefined ? undefined : attributeOf(current, "Version")?.N;
    const kind = rows[row]?.kind;
    return role === "memory" && version !== undefined && kind !== undefined ? [[kind, version]] : [];
  });
}

/** The outcome of a delete whose expected version is not stored; undefined if another attempt may succeed. */
async function endBy(
  call: StoreCall,
  { shadow, rows }: PlannedDelete,
  error: unknown,
): Promise<Outcome<never> | undefined> {
  const roles = rows.map((_, row): ActionRole => ({ role: "item", row }));
  const shown = needsRead({ shadow, rows }) ? undefined : obstaclesOf(error, roles);
  const fetched = shown === undefined ? await fetchRows(call, rows) : undefined;
  const conflicts = rows.flatMap((row, at) => {
    const found = fetched?.(row) ?? { item: shown?.find((each) => each.row === at)?.current };
    if ("error" in found) throw found.error;
    const failed = shown === undefined || shown.some((each) => each.row === at);
    return failed && row.expected !== undefined ? conflictOf(row, row.expected, found.item) : [];
  });
  if (conflicts.length === 0) return undefined;
  return conflicts.every(({ current }) => current === undefined)
    ? { kind: "rejected", error: shadowNotFound(shadow) }
    : { kind: "conflict", error: versionConflict(shadow, conflicts) };
}

function conflictOf(row: RowId, expected: number, item: Item | undefined) {
  const current = item === undefined ? undefined : versionOf(item, row);
  return current === expected ? [] : [{ kind: row.kind, expected, current }];
}

function deleted(call: StoreCall, rows: readonly ExistingRow[]): WrittenShadow {
  const halvesOf = (kind: RowKind): readonly Half[] =>
    kind === "combined" ? ["reported", "desired"] : [kind];
  const entries = rows.flatMap(({ kind, version }) =>
    halvesOf(kind).map((each) => [each, Number(version)] as const),
  );
  return { versions: Object.fromEntries(entries), timeStamp: call.nanoseconds() };
}
