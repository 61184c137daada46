import { type Item, isTablekeepError, type Key } from "@tablekeep/core";
import type { ShadowPolicy } from "../manager/manager-options.ts";
import type { ShadowChange, ShadowUpdate } from "../manager/shadow-manager.ts";
import { type ShadowView, viewOf } from "../manager/shadow-view.ts";
import { acknowledge } from "../merge/acknowledge.ts";
import { stateChanges, valueAtPointer } from "../merge/state-changes.ts";
import type { MergeLog, ValueChange } from "../merge/value-change.ts";
import type { RowKind } from "../model/shadow-error.ts";
import { rowIdOf, rowKey, type ShadowId, shadowText } from "../rows/row-keys.ts";
import { readRow, type StoredRow } from "../rows/stored-row.ts";
import { shadowOf } from "../store/read-shadows.ts";

/** An item of the table before and after a write; undefined if there is none. */
export interface ItemChange {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** Dependencies of {@link storedChanges}. */
export interface StoredChangesOptions {
  /** Returns the current item of a key: the half of a shadow that the write did not change. */
  readonly read: (key: Key) => Item | undefined;
  readonly policy: ShadowPolicy;
  /** Nanoseconds since 1970: the time of a delete. */
  readonly now: bigint;
}

/**
 * Returns the changes to shadows by one write to the table, made by this package, godeviceshadow, or any other client of
 * DynamoDB. `items` are all items that it changed. Throws `SHADOW_ITEM_CORRUPT` if a new item cannot be read.
 *
 * @example
 * const changes = storedChanges([{ before, after }], { read, policy: "aws", now });
 */
export function storedChanges(items: readonly ItemChange[], options: StoredChangesOptions): ShadowChange[] {
  const byShadow = new Map<string, { shadow: ShadowId; rows: Map<RowKind, ItemChange> }>();
  for (const item of items) {
    const row = rowIdOf(item.after ?? item.before ?? {});
    if (row === undefined) continue;
    const { id, name, kind } = row;
    const key = shadowText(row);
    const known = byShadow.get(key) ?? { shadow: { id, name }, rows: new Map() };
    known.rows.set(kind, item);
    byShadow.set(key, known);
  }
  return [...byShadow.values()].flatMap(({ shadow, rows }) => changeOf(shadow, rows, options) ?? []);
}

function changeOf(
  shadow: ShadowId,
  rows: ReadonlyMap<RowKind, ItemChange>,
  { read, policy, now }: StoredChangesOptions,
): ShadowChange | undefined {
  const isCombined = rows.has("combined");
  const kinds: readonly RowKind[] = isCombined ? ["combined"] : ["reported", "desired"];
  const untouched = new Map(
    kinds.flatMap((kind) => (rows.has(kind) ? [] : [[kind, read(rowKey({ ...shadow, kind }))] as const])),
  );
  const rowsOf = (when: "before" | "after", readItem: (item: Item) => StoredRow | undefined) =>
    kinds.flatMap((kind) => {
      const item = rows.has(kind) ? rows.get(kind)?.[when] : untouched.get(kind);
      return (item && readItem(item)) ?? [];
    });
  const view = (found: readonly StoredRow[]) =>
    found.length === 0 ? undefined : viewOf(shadowOf(shadow, isCombined ? "combined" : "separate", found));
  const current = rowsOf("after", readRow);
  if (current.length > 0) {
    const update = lazyUpdate(
      () => view(current) as ShadowView,
      () => view(rowsOf("before", readable)),
      policy,
    );
    return { ...shadow, kind: "updated", version: newestVersion(current), update };
  }
  const previous = rowsOf("before", readable);
  if (previous.length === 0) return undefined;
  const deletion = { version: newestVersion(previous), timeStamp: now };
  return { ...shadow, kind: "deleted", version: deletion.version, deletion };
}

function newestVersion(rows: readonly StoredRow[]): number {
  return Math.max(...rows.map(({ version }) => version));
}

/** An update whose views and their comparison are computed on demand: few listeners need them. */
function lazyUpdate(
  readCurrent: () => ShadowView,
  readPrevious: () => ShadowView | undefined,
  policy: ShadowPolicy,
): ShadowUpdate {
  let current: ShadowView | undefined;
  let found: { readonly previous: ShadowView | undefined } | undefined;
  let changes: readonly ValueChange[] | undefined;
  return {
    get previous() {
      found ??= { previous: readPrevious() };
      return found.previous;
    },
    get current() {
      current ??= readCurrent();
      return current;
    },
    get changes() {
      changes ??= differences(this.previous, this.current, policy);
      return changes;
    },
    written: true,
  };
}

/** A previous item that cannot be read counts as absent. */
function readable(item: Item): StoredRow | undefined {
  try {
    return readRow(item);
  } catch (error) {
    if (isTablekeepError(error)) return undefined;
    throw error;
  }
}

/** The values that differ between two versions of a shadow. */
function differences(
  previous: ShadowView | undefined,
  current: ShadowView,
  policy: ShadowPolicy,
): ValueChange[] {
  const changes = stateChanges(previous?.state, current.state);
  if (policy === "aws" || previous?.state.desired === undefined) return changes;
  // A desired value that was removed and is reported was acknowledged.
  const acknowledged: ValueChange[] = [];
  const log: MergeLog = { half: "desired", changes: acknowledged };
  acknowledge({ state: previous.state.desired }, current.state.reported, { plain: true }, log);
  const gone = acknowledged.filter(({ path }) => valueAtPointer(current.state.desired, path) === undefined);
  const isGone = ({ half, path }: ValueChange) =>
    half === "desired" && gone.some((each) => each.path === path);
  return [...changes.filter((change) => !isGone(change)), ...gone];
}
