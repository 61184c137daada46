import { type CallOptions, type Item, isDynamoError, isTablekeepError } from "@tablekeep/core";
import { pauseBeforeRetry } from "../context/calls.ts";
import { type AkkaUse, callOptions, type JournalContext } from "../context/journal-context.ts";
import type { JournalOptions, ResolvedJournalOptions } from "../context/journal-options.ts";
import { JournalError, optionInvalid } from "../errors/journal-error.ts";
import type { LayoutName } from "../layouts/layout.ts";
import { layoutOf } from "../layouts/layout-of.ts";

/** Logs the settings of a journal, if enabled. */
export function logSettings(settings: ResolvedJournalOptions): void {
  if (!settings.logConfig) return;
  const { clock: _clock, random: _random, logger, ...told } = settings;
  logger.info("journal is opened", told);
}

/** Items that are read to find one of an Akka plugin. */
const sampleSize = 100;

/**
 * Whether a table in which this journal has no record holds items of it: those are of an Akka plugin, which writes no record.
 * One request. Where other journals fill the sample nothing is guessed: the caller must say it.
 */
async function akkaInTable({ port, table, layout }: JournalContext, call: CallOptions): Promise<AkkaUse> {
  if (layout.name === "linear") return "none";
  const [partition, sort] = layout.keyNames;
  const names = { "#partition": partition, ...(sort !== undefined && { "#sort": sort }) };
  const sample = await port
    .scan(
      {
        TableName: table,
        Limit: sampleSize,
        ConsistentRead: true,
        ProjectionExpression: Object.keys(names).join(", "),
        ExpressionAttributeNames: names,
      },
      call,
    )
    .catch((error: unknown) => {
      if (isTablekeepError(error) && error.kind === "denied")
        throw undecided("the table has no record of it and may not be scanned");
      throw error;
    });
  if (sample.Items?.some((item) => layout.describe(item).kind !== "other")) return "unknown";
  if (sample.LastEvaluatedKey === undefined) return "none";
  throw undecided("the table has no record of it and more than 100 items of others");
}

function itemsOfAkka(given: string): Error {
  return new JournalError(
    "JOURNAL_SETTINGS_DIFFER",
    `the table has items of an Akka plugin under this journal's name, which the ${given} layout cannot share: open it with layout bucketed, or use another table or journalName`,
    { setting: "layout", stored: "bucketed", given },
  );
}

function undecided(reason: string): Error {
  return optionInvalid(
    "akka",
    `must be given the first time that this journal is opened to be written, because ${reason}: pass akka "none" if no Akka plugin uses this journal, or "2.5" or "2.6", the line of the Akka that does`,
  );
}

/** The format of what this version writes beside the original's items. */
const ownFormat = "1";

/**
 * Holds the settings against the journal's own record, which the first opener writes: with other shards marks would be
 * lost, with another layout everything. The original has no such record, and loses marks silently. Returns the context with
 * what the record says about Akka.
 */
export async function checkSettings(
  context: JournalContext,
  settings: ResolvedJournalOptions,
  given: Pick<JournalOptions, "layout">,
): Promise<JournalContext> {
  const call = callOptions(context);
  for (let retry = 0; ; retry++) {
    const record = await compareSettings(context, settings, given);
    if (record !== undefined) return record;
    await checkAlone(context, settings, call);
    const akka = settings.akka ?? (await akkaInTable(context, call));
    if (akka !== "none" && context.layout.packed !== undefined) {
      // Unless they are those of another opener, which writes its record before its first event.
      const written = await compareSettings(context, settings, given);
      if (written !== undefined) return written;
      throw itemsOfAkka(context.layout.name);
    }
    try {
      await writeRecord(context, { ...recordOf(settings), akka: sharing(akka) }, call);
      return { ...context, akka };
    } catch (error) {
      if (!isRefused(error) && !isAmbiguous(error)) throw error;
    }
    // Another opener was first, or the answer was lost: the records show which.
    await pauseBeforeRetry(context, retry, call);
  }
}

/** A journal without a name could hold keys of those with one, and is alone in its table. */
async function checkAlone(
  { port, table, layout }: JournalContext,
  { journalName }: ResolvedJournalOptions,
  call: CallOptions,
): Promise<void> {
  if (layout.exclusion === undefined) return;
  const Key = layout.exclusion.theirs;
  const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true }, call);
  if (Item === undefined) return;
  const [stored, given] =
    journalName === "" ? ["with a name", "without one"] : ["without a name", "with one"];
  throw new JournalError(
    "JOURNAL_SETTINGS_DIFFER",
    `the table has a journal ${stored}, and one ${given} could share its keys: use another table`,
    { setting: "journalName", stored, given },
  );
}

async function writeRecord(
  { port, table, layout }: JournalContext,
  settings: Readonly<Record<string, string>>,
  call: CallOptions,
): Promise<void> {
  const attributes = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, { S: value }]),
  );
  const absent = {
    TableName: table,
    ConditionExpression: "attribute_not_exists(#key)",
    ExpressionAttributeNames: { "#key": layout.keyNames[0] },
  };
  const Put = { ...absent, Item: { ...layout.metadataKey(), ...attributes } };
  const { mine, theirs } = layout.exclusion ?? {};
  if (theirs === undefined) {
    await port.putItem(Put, call);
    return;
  }
  const note = mine === undefined ? [] : [{ Put: { TableName: table, Item: mine } }];
  const TransactItems = [{ Put }, ...note, { ConditionCheck: { ...absent, Key: theirs } }];
  await port.transactWriteItems({ TransactItems }, call);
}

function isRefused(error: unknown): boolean {
  return (
    isDynamoError(error, "ConditionalCheckFailedException") ||
    isDynamoError(error, "TransactionCanceledException")
  );
}

function isAmbiguous(error: unknown): boolean {
  return isTablekeepError(error) && error.ambiguous;
}

/**
 * The layout of a journal whose layout nobody named: what its record says, if that is one with the same keys. Those of `bucketed` and
 * `packed` are, and their records are at the same place.
 */
export function sameKeys(record: Item, byDefault: LayoutName): LayoutName {
  const stored = record["layout"]?.S;
  const isPair = (name: string | undefined) => name === "bucketed" || name === "packed";
  return isPair(stored) && isPair(byDefault) ? (stored as LayoutName) : byDefault;
}

/** The same without writing a record where there is none. Undefined if there is none. */
async function compareSettings(
  context: JournalContext,
  settings: ResolvedJournalOptions,
  given: Pick<JournalOptions, "layout">,
): Promise<JournalContext | undefined> {
  const record = await readRecord(context, { deadlineMs: context.deadlineMs });
  if (record === undefined) return undefined;
  const layout = given.layout ?? sameKeys(record, settings.layout);
  compare(record, recordOf({ ...settings, layout }));
  const stored = storedSharing(record);
  if (settings.akka !== undefined && sharing(settings.akka) !== stored) throw sharingDiffers(stored);
  const own = layout === settings.layout ? context.layout : layoutOf({ ...settings, layout });
  return { ...context, layout: own, akka: settings.akka ?? (stored === "shared" ? "unknown" : "none") };
}

/** The same for those who only read, and write no record. A journal without one is used by an Akka plugin only, if by any. */
export async function checkSettingsToRead(
  context: JournalContext,
  settings: ResolvedJournalOptions,
  given: Pick<JournalOptions, "layout">,
): Promise<JournalContext> {
  const unknown = settings.layout === "linear" || settings.layout === "packed" ? "none" : "unknown";
  const record = await compareSettings(context, settings, given);
  return record ?? { ...context, akka: settings.akka ?? unknown };
}

/** Whether an Akka plugin uses the table, as the journal's record says it. */
export type Sharing = "shared" | "none";

export function storedSharing(record: Item): Sharing {
  return record["akka"]?.S === "shared" ? "shared" : "none";
}

function sharing(akka: AkkaUse): Sharing {
  return akka === "none" ? "none" : "shared";
}

function sharingDiffers(stored: Sharing): JournalError {
  const given = stored === "shared" ? "none" : "shared";
  const message =
    stored === "shared"
      ? 'this journal shares its table with Akka: open it with akka "2.5" or "2.6", or migrate it to a table without Akka'
      : 'this journal was created with akka "none", and its deletes leave tombstones that Akka misreads: open it with akka "none", or migrate it to a journal that is created with akka "2.5" or "2.6"';
  return new JournalError("JOURNAL_SETTINGS_DIFFER", message, { setting: "akka", stored, given });
}

/** The journal's own record; undefined if it has none. */
export async function readRecord(
  { port, table, layout }: JournalContext,
  call: CallOptions,
): Promise<Item | undefined> {
  const Key = layout.metadataKey();
  return (await port.getItem({ TableName: table, Key, ConsistentRead: true }, call)).Item;
}

function recordOf({ layout, sequenceShards, fencing }: ResolvedJournalOptions): Record<string, string> {
  return { layout, sequenceShards: String(sequenceShards), fencing, format: ownFormat };
}

function compare(item: Item, given: Readonly<Record<string, string>>): void {
  for (const [setting, value] of Object.entries(given)) {
    const stored = item[setting]?.S;
    if (stored === undefined || stored === value) continue;
    throw new JournalError(
      "JOURNAL_SETTINGS_DIFFER",
      `the journal was made with ${setting} ${stored}, not ${value}: open it with ${stored}`,
      { setting, stored, given: value },
    );
  }
}
