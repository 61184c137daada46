import { type CallOptions, type Item, isTablekeepError } from "@tablekeep/core";
import type { AkkaUse, JournalContext } from "../context/journal-context.ts";
import type { JournalOptions, ResolvedJournalOptions } from "../context/journal-options.ts";
import { JournalError, optionInvalid } from "../errors/journal-error.ts";
import type { LayoutName } from "../layouts/layout.ts";
import { layoutOf } from "../layouts/layout-of.ts";
import { packedNames } from "../rows/packed-item.ts";
import { tombstoneNames } from "../rows/tombstone.ts";

/** How a journal without a record is stored, and whether Akka uses it too. */
export interface WithoutRecord {
  readonly layout: LayoutName;
  readonly akka: AkkaUse;
  /** Whether it has no items yet; false if that is not known. */
  readonly isNew: boolean;
}

/** Items that are read to find those of a journal that has no record. */
const sampleSize = 100;

/** The items of a journal in a sample of its table. */
interface Sample {
  /** Whether there are any, by layout: keys of other layouts than `bucketed` and `packed` count as the journal's own. */
  readonly found: ReadonlySet<LayoutName>;
  /** Why there may be others that were not read; undefined if there are none. */
  readonly incomplete?: string;
}

/**
 * Decides how to open a journal that has no record, by a sample of its table. Items of the bucketed layout are those of an Akka plugin,
 * which writes no record, or of a journal whose record was lost. One request. Where others fill the
 * sample nothing is guessed: the caller must say it.
 */
export async function decideWithoutRecord(
  context: JournalContext,
  settings: ResolvedJournalOptions,
  given: Pick<JournalOptions, "layout">,
  call: CallOptions,
): Promise<WithoutRecord> {
  const { layout, akka } = settings;
  if (layout === "packed" && given.layout === undefined) return decideLayout(context, settings, call);
  if (layout === "packed" && akka !== undefined) return { layout, akka, isNew: true };
  const { found, incomplete } = await sampleOf(context, settings, call);
  if (layout === "packed") {
    if (found.has("bucketed")) throw layoutDiffers("bucketed", layout);
    return { layout, akka: "none", isNew: true };
  }
  const isNew = found.size === 0 && incomplete === undefined;
  if (layout === "linear") return { layout, akka: akka ?? "none", isNew };
  if (akka !== undefined) return { layout, akka, isNew };
  if (found.has("packed")) throw layoutDiffers("packed", layout);
  if (found.size > 0) return { layout, akka: "unknown", isNew };
  if (incomplete !== undefined) throw akkaUndecided(incomplete);
  return { layout, akka: "none", isNew };
}

/** The same where no layout is named: `packed`, unless the journal has items of the bucketed layout. */
async function decideLayout(
  context: JournalContext,
  settings: ResolvedJournalOptions,
  call: CallOptions,
): Promise<WithoutRecord> {
  const { akka } = settings;
  const { found, incomplete } = await sampleOf(context, settings, call);
  if (found.has("bucketed") && found.has("packed"))
    throw layoutUndecided("the table has items of both layouts");
  if (found.has("bucketed")) return { layout: "bucketed", akka: akka ?? "unknown", isNew: false };
  if (found.size === 0 && incomplete !== undefined) throw layoutUndecided(incomplete);
  return { layout: "packed", akka: "none", isNew: true };
}

/** The same for those who only read: where nothing shows the layout it is that of the Akka plugins, which write no record. */
export async function layoutToRead(
  context: JournalContext,
  settings: ResolvedJournalOptions,
  call: CallOptions,
): Promise<Omit<WithoutRecord, "isNew">> {
  const { akka = "unknown" } = settings;
  const { found, incomplete } = await sampleOf(context, settings, call);
  const isPacked = found.has("packed") || (found.size === 0 && incomplete === undefined);
  return isPacked && !found.has("bucketed")
    ? { layout: "packed", akka: "none" }
    : { layout: "bucketed", akka };
}

async function sampleOf(
  { port, table, layout }: JournalContext,
  settings: ResolvedJournalOptions,
  call: CallOptions,
): Promise<Sample> {
  const attributes = [...layout.keyNames, packedNames.bytes, tombstoneNames.mark];
  const names = Object.fromEntries(attributes.map((name, at) => [`#a${at}`, name]));
  const input = {
    TableName: table,
    Limit: sampleSize,
    ConsistentRead: true,
    ProjectionExpression: Object.keys(names).join(", "),
    ExpressionAttributeNames: names,
  };
  try {
    const { Items = [], LastEvaluatedKey } = await port.scan(input, call);
    const found = new Set(Items.flatMap((item) => layoutOfItem(settings, item) ?? []));
    if (LastEvaluatedKey === undefined) return { found };
    return { found, incomplete: "the table has no record of the journal, and more than 100 other items" };
  } catch (error) {
    if (!isTablekeepError(error) || error.kind !== "denied") throw error;
    return {
      found: new Set(),
      incomplete: "the table has no record of the journal, and scanning it is not allowed",
    };
  }
}

/** The layout that an item of a journal is stored in; undefined for an item of others, or one that several layouts have. */
function layoutOfItem(settings: ResolvedJournalOptions, item: Item): LayoutName | undefined {
  const { layout } = settings;
  if (layout === "scattered" || layout === "linear")
    return layoutOf(settings).describe(item).kind === "other" ? undefined : layout;
  const inPacked = layoutOf({ ...settings, layout: "packed" }).describe(item);
  const inBucketed = layoutOf({ ...settings, layout: "bucketed" }).describe(item);
  const isInPartition = item["par"]?.S?.startsWith(`${settings.journalName}-P-`) ?? false;
  if (!isInPartition)
    return ["high-mark", "low-mark", "writer", "commit"].includes(inBucketed.kind) ? "bucketed" : undefined;
  // Id `cart-1` in the packed layout has the key of id `cart` in the bucketed one: what an item holds shows which.
  if (item[packedNames.bytes] !== undefined || (inPacked.kind !== "event" && inPacked.kind !== "other"))
    return "packed";
  const isRow = inBucketed.kind === "event" && Number(item["num"]?.N) < 100;
  return isRow && item[tombstoneNames.mark] === undefined ? "bucketed" : undefined;
}

function layoutDiffers(stored: LayoutName, given: LayoutName): Error {
  const whose =
    stored === "bucketed" ? "of an Akka plugin or of the bucketed layout" : `of the ${stored} layout`;
  return new JournalError(
    "JOURNAL_SETTINGS_DIFFER",
    `the table has items ${whose} under this journal's name, which the ${given} layout cannot share: open it with layout ${stored}, or use another table or journalName`,
    { setting: "layout", stored, given },
  );
}

function layoutUndecided(reason: string): Error {
  return optionInvalid(
    "layout",
    `is required the first time this journal is opened, because ${reason}: pass "packed" for a new journal, or "bucketed" for one that an Akka plugin or an earlier version has written`,
  );
}

function akkaUndecided(reason: string): Error {
  return optionInvalid(
    "akka",
    `is required the first time this journal is opened for writing, because ${reason}: pass "none" if no Akka plugin uses this journal, or "2.5" or "2.6", whichever version of Akka does`,
  );
}
