import type { GridColumn, GridSort } from "../../list/grid-column.ts";
import type { WireItem, WireValue } from "../api/table-facts.ts";
import { valuePreview } from "../items/plain-item.ts";

/** The settings of a table's columns in this browser. */
export interface RememberedColumns {
  /** The chosen columns; undefined if none were chosen. */
  readonly names: readonly string[] | undefined;
  /** Pixels, of columns that were changed. */
  readonly widths: Readonly<Record<string, number>>;
}

/** A summary of one attribute of the items read so far. */
interface ColumnFacts {
  /** The width of the widest value, up to a limit, in characters of average width. */
  readonly characters: number;
  /** Whether all of its values are numbers. */
  readonly isNumber: boolean;
}

/** The attributes of the items read so far, in order of appearance. */
export type KnownColumns = ReadonlyMap<string, ColumnFacts>;

/** Attributes that can be chosen. Items of one table may have any number of others. */
const maxKnown = 200;
/** Columns that are shown if none are chosen. */
const maxShown = 12;
const maxCharacters = 40;

/** The attributes of more items. */
export function addItems(known: KnownColumns, items: readonly WireItem[]): KnownColumns {
  const next = new Map(known);
  for (const item of items)
    for (const [name, value] of Object.entries(item)) {
      const before = next.get(name);
      if (before === undefined && next.size >= maxKnown) continue;
      next.set(name, {
        characters: Math.max(before?.characters ?? 0, widthIn(cellText(value, maxCharacters))),
        isNumber: (before?.isNumber ?? true) && "N" in value,
      });
    }
  return next;
}

/** All columns that can be chosen: the keys, then the other attributes. */
export function allColumns(known: KnownColumns, keys: readonly string[]): readonly string[] {
  return [...keys, ...[...known.keys()].filter((name) => !keys.includes(name))];
}

/** The columns that are shown: those that were chosen, or the first few. */
export function shownColumns(
  known: KnownColumns,
  keys: readonly string[],
  { names, widths }: RememberedColumns,
): readonly GridColumn[] {
  const all = allColumns(known, keys);
  const shown = names === undefined ? all.slice(0, maxShown) : all.filter((name) => names.includes(name));
  return (shown.length > 0 ? shown : all.slice(0, 1)).map((name) => {
    const { characters = 8, isNumber = false } = known.get(name) ?? {};
    return { name, isNumber, width: widths[name] ?? widthFor(Math.max(characters, name.length + 2)) };
  });
}

/** The width of a string in characters of average width: capitals, as in base64 and in codes, and a few others are wider. */
function widthIn(text: string): number {
  return text.length + 0.3 * (text.match(/[A-Zmw=+%]/g)?.length ?? 0) + 0.7 * (text.match(/@/g)?.length ?? 0);
}

function widthFor(characters: number): number {
  return Math.max(80, Math.min(340, Math.round(characters * 8.1 + 26)));
}

/** An attribute in one line: strings and numbers unchanged, others as JSON. */
export function cellText(value: WireValue | undefined, maxLength: number): string {
  if (value === undefined) return "";
  const [type = "", content] = Object.entries(value)[0] ?? [];
  if ((type === "S" || type === "N" || type === "B") && typeof content === "string")
    return content.length > maxLength ? `${content.slice(0, maxLength)}…` : content;
  return valuePreview(value, maxLength);
}

/** The order of items by one attribute. Items without it are last in both directions. */
export function itemOrder({ column, isDescending }: GridSort): (one: WireItem, other: WireItem) => number {
  const sign = isDescending ? -1 : 1;
  return (one, other) => {
    const [first, second] = [one[column], other[column]];
    if (first === undefined || second === undefined)
      return Number(first === undefined) - Number(second === undefined);
    return sign * compareValues(first, second);
  };
}

function compareValues(one: WireValue, other: WireValue): number {
  const [first, second] = [one["N"], other["N"]];
  if (typeof first === "string" && typeof second === "string") return Number(first) - Number(second);
  const [left, right] = [cellText(one, 1_000), cellText(other, 1_000)];
  return left < right ? -1 : left > right ? 1 : 0;
}
