import type { Item } from "@tablekeep/core";
import type { ResolvedJournalOptions } from "../journal-options.ts";
import type { Layout } from "../layouts/layout.ts";
import { numberOf } from "../layouts/layout.ts";

/** What an item of a table is to a journal, by its key. */
export type JournalItem =
  | { readonly kind: "event"; readonly persistenceId: string; readonly sequenceNr: number }
  | { readonly kind: "high-mark" | "low-mark" | "writer"; readonly persistenceId: string }
  | { readonly kind: "commit"; readonly persistenceId: string; readonly first: number }
  | { readonly kind: "registry"; readonly persistenceId: string }
  /** The journal's own record. */
  | { readonly kind: "record" }
  /** Of another journal, or of nobody that is known here. */
  | { readonly kind: "other" };

/** Below this the linear layout has records of its own. */
const ownNumbers = -(2 ** 52);
const unnamed = "tablekeep-journal";

/** Tells what items of a table are. */
export function itemReader(layout: Layout, settings: ResolvedJournalOptions): (item: Item) => JournalItem {
  switch (layout.name) {
    case "linear":
      return linearItem(layout, settings);
    case "bucketed":
      return (item) => namedItem(layout, `${settings.journalName}-`, item, "par", numberOf(item, "num"));
    case "scattered": {
      const prefix = settings.journalName === "" ? "" : `${settings.journalName}-`;
      return (item) => namedItem(layout, prefix, item, "key", undefined);
    }
  }
}

/** Keys that begin with the journal's name and a letter or two. */
function namedItem(
  layout: Layout,
  prefix: string,
  item: Item,
  attribute: string,
  number: number | undefined,
): JournalItem {
  const owner = layout.ownerOf(item);
  if (owner !== undefined) return { kind: "event", ...owner };
  const text = item[attribute]?.S ?? "";
  if (!text.startsWith(prefix)) return { kind: "other" };
  const [, mark, rest = ""] = /^(SH|SL|W|C|R|M)(?:-(.*))?$/s.exec(text.slice(prefix.length)) ?? [];
  const [, id, last] = /^(.*)-(\d+)$/s.exec(rest) ?? [];
  if (mark === "SH" && id !== undefined) return { kind: "high-mark", persistenceId: id };
  if (mark === "SL" && id !== undefined) return { kind: "low-mark", persistenceId: id };
  if (mark === "W") return { kind: "writer", persistenceId: rest };
  if (mark === "C" && number !== undefined) return { kind: "commit", persistenceId: rest, first: number };
  if (mark === "C" && id !== undefined) return { kind: "commit", persistenceId: id, first: Number(last) };
  if (mark === "R") return registryItem(item);
  return mark === "M" && rest === "" ? { kind: "record" } : { kind: "other" };
}

function linearItem(
  layout: Layout,
  { journalName, keyNames }: ResolvedJournalOptions,
): (item: Item) => JournalItem {
  const prefix = journalName === "" ? "" : `${journalName}-P-`;
  const own = journalName === "" ? unnamed : journalName;
  return (item) => {
    const partition = item[keyNames.persistenceId]?.S ?? "";
    const number = numberOf(item, keyNames.sequenceNr) ?? Number.NaN;
    if (number <= ownNumbers) {
      if (partition === `${unnamed}-M`) return { kind: "record" };
      return partition.startsWith(`${own}-R-`) ? registryItem(item) : { kind: "other" };
    }
    if (journalName !== "" && partition === `${own}-M` && number === 0) return { kind: "record" };
    const owner = layout.ownerOf(item);
    if (owner !== undefined) return { kind: "event", ...owner };
    if (!partition.startsWith(prefix)) return { kind: "other" };
    const persistenceId = partition.slice(prefix.length);
    if (number < 0) return { kind: "commit", persistenceId, first: -number };
    return number === 0 ? { kind: "writer", persistenceId } : { kind: "other" };
  };
}

function registryItem(item: Item): JournalItem {
  const persistenceId = item["persistence_id"]?.S;
  return persistenceId === undefined ? { kind: "other" } : { kind: "registry", persistenceId };
}
