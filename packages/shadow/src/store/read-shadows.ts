import type { Item, OptionChecks, Outcome } from "@tablekeep/core";
import type { Half, RowKind, ShadowModel } from "../model/shadow-error.ts";
import type { RowId, ShadowId } from "../rows/row-keys.ts";
import { readRow, type StoredRow } from "../rows/stored-row.ts";
import {
  anything,
  asTablekeepError,
  checkOperation,
  expectedVersions,
  half,
  operationChecks,
  operationInvalid,
  shadowIdOf,
  shadowNotFound,
  versionConflict,
} from "./check-operation.ts";
import { type FetchedRows, fetchAtomic, fetchRows } from "./fetch-rows.ts";
import type { OperationResult, ReadOperation, Shadow, StoredHalf } from "./shadows.ts";
import type { StoreCall } from "./store-options.ts";

const checks: OptionChecks<ReadOperation> = { ...operationChecks, half, version: anything };

/** A valid read: its items, and their expected versions. */
interface PlannedRead {
  readonly shadow: ShadowId;
  readonly model: ShadowModel;
  readonly rows: readonly RowId[];
  readonly expected: ReadonlyMap<RowKind, number | undefined>;
}

const nothing: FetchedRows = () => ({ item: undefined });

/** Reads shadows. Returns one result per operation, in order. */
export async function readShadows(
  call: StoreCall,
  operations: readonly ReadOperation[],
  atomic: boolean,
): Promise<OperationResult<Shadow>[]> {
  const plans = operations.map((operation) => planned(operation, call.options.model));
  const groups = plans.flatMap((plan) => ("rows" in plan ? [plan.rows] : []));
  const pairs = atomic ? groups.filter((rows) => rows.length > 1) : [];
  const single = atomic ? groups.filter((rows) => rows.length === 1) : groups;
  const fromPairs = pairs.length === 0 ? nothing : await fetchAtomic(call, pairs);
  const fromRows = single.length === 0 ? nothing : await fetchRows(call, single.flat());
  return plans.map((plan, at) => {
    const shadow = shadowIdOf(operations[at] as ReadOperation);
    if (!("rows" in plan)) return { ...shadow, outcome: plan };
    return { ...shadow, outcome: outcomeOf(plan, atomic && plan.rows.length > 1 ? fromPairs : fromRows) };
  });
}

function planned(operation: ReadOperation, defaultModel: ShadowModel): PlannedRead | Outcome<never> {
  try {
    checkOperation(operation, checks);
    const shadow = shadowIdOf(operation);
    const model = operation.model ?? defaultModel;
    if (model === "combined" && operation.half !== undefined)
      throw operationInvalid(shadow, "a combined shadow is read as a whole: omit half");
    const halves: readonly Half[] = operation.half === undefined ? ["reported", "desired"] : [operation.half];
    const expected = expectedVersions(shadow, model, halves, operation.version);
    return { shadow, model, expected, rows: [...expected.keys()].map((kind) => ({ ...shadow, kind })) };
  } catch (error) {
    return { kind: "rejected", error: asTablekeepError(error) };
  }
}

function outcomeOf(plan: PlannedRead, fetched: FetchedRows): Outcome<Shadow> {
  const items: Item[] = [];
  for (const row of plan.rows) {
    const found = fetched(row);
    if ("error" in found) return { kind: "rejected", error: found.error };
    if (found.item !== undefined) items.push(found.item);
  }
  if (items.length === 0) return { kind: "rejected", error: shadowNotFound(plan.shadow) };
  try {
    const rows = items.map(readRow);
    const conflicts = [...plan.expected].flatMap(([kind, expected]) => {
      const current = rows.find((row) => row.kind === kind)?.version;
      // As in the original, a read with version 0 accepts any version.
      return expected === undefined || expected === 0 || expected === current
        ? []
        : [{ kind, expected, current }];
    });
    if (conflicts.length > 0) return { kind: "conflict", error: versionConflict(plan.shadow, conflicts) };
    return { kind: "ok", value: shadowOf(plan.shadow, plan.model, rows) };
  } catch (error) {
    return { kind: "rejected", error: asTablekeepError(error) };
  }
}

/** The shadow that these items hold. */
export function shadowOf(shadow: ShadowId, model: ShadowModel, rows: readonly StoredRow[]): Shadow {
  const reported = halfOf(rows, "reported");
  const desired = halfOf(rows, "desired");
  return {
    ...shadow,
    model,
    ...(reported !== undefined && { reported }),
    ...(desired !== undefined && { desired }),
    metadata: Object.assign({}, ...rows.map((row) => row.metadata)),
  };
}

function halfOf(rows: readonly StoredRow[], name: Half): StoredHalf | undefined {
  const row = rows.find(({ kind }) => kind === name || kind === "combined");
  if (row === undefined) return undefined;
  const { version, timeStamp, clientToken } = row;
  return { value: row[name], version, timeStamp, clientToken };
}
