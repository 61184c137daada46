import { type CallOptions, type Item, isAmbiguous, isDynamoError } from "@tablekeep/core";
import { pauseBeforeRetry } from "../context/calls.ts";
import { type AkkaUse, callOptions, type JournalContext } from "../context/journal-context.ts";
import type { JournalOptions, ResolvedJournalOptions } from "../context/journal-options.ts";
import { JournalError } from "../errors/journal-error.ts";
import type { LayoutName } from "../layouts/layout.ts";
import { layoutOf } from "../layouts/layout-of.ts";
import { checkStoredShards } from "./stored-shards.ts";
import { decideWithoutRecord, layoutToRead } from "./without-record.ts";
import { wrongTable } from "./wrong-table.ts";

/** Logs the settings of an open journal, if enabled: its layout may be that of its record. */
export function logSettings(settings: ResolvedJournalOptions, { layout }: JournalContext): void {
  if (!settings.logConfig) return;
  const { clock: _clock, random: _random, logger, ...logged } = settings;
  logger.info("journal is opened", { ...logged, layout: layout.name });
}

/** The format of what this version writes beside the original's items. */
const ownFormat = "1";

/** Noted in the record of a journal whose ids are all in its registry. */
const allRegistered = "registered";

/**
 * Compares the settings with the journal's own record, which the first opener writes. With another number of shards,
 * marks would be lost; with another layout, everything. (The original has no such record and loses marks silently.)
 * Returns the context with the record's setting for Akka.
 */
export async function checkSettings(
  context: JournalContext,
  settings: ResolvedJournalOptions,
  given: Pick<JournalOptions, "layout">,
): Promise<JournalContext> {
  const call = callOptions(context);
  for (let retry = 0; ; retry++) {
    const stored = await compareSettings(context, settings, given);
    if (stored !== undefined) return stored;
    await checkAlone(context, settings, call);
    const { layout, akka, isNew } = await decideWithoutRecord(context, settings, given, call).catch(
      async (error: unknown) => {
        // The items may be those of another opener, which writes its record before its first event.
        const written = await compareSettings(context, settings, given);
        if (written === undefined) throw error;
        return { layout: written.layout.name, akka: written.akka, isNew: written.hasAllRegistered };
      },
    );
    if (!isNew)
      await checkStoredShards({ ...context, layout: layoutOf({ ...settings, layout }) }, settings, call);
    const hasAllRegistered = isNew && akka === "none";
    const record = {
      ...recordOf({ ...settings, layout }),
      akka: sharing(akka),
      ...(hasAllRegistered && { ids: allRegistered }),
    };
    try {
      await writeRecord(context, record, call);
      return { ...context, layout: layoutOf({ ...settings, layout }), akka, hasAllRegistered };
    } catch (error) {
      if (!isRefused(error) && !isAmbiguous(error)) throw error;
    }
    // Another opener was first, or the answer was lost: the record shows which.
    await pauseBeforeRetry(context, Math.min(retry, lastDoubling), call);
  }
}

/** Pauses double up to this retry, to 0.8 s: a record is visible within a second or two, and longer ones would use up the deadline. */
const lastDoubling = 5;

/** A journal without a name could have the same keys as one with a name, so it cannot share its table. */
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

/**
 * Returns the layout of a journal that was opened without one: that of its record, if both have the same keys, as `bucketed` and `packed` do,
 * whose records are also at the same key.
 */
export function sameKeys(record: Item, byDefault: LayoutName): LayoutName {
  const stored = record["layout"]?.S;
  const isPair = (name: string | undefined) => name === "bucketed" || name === "packed";
  return isPair(stored) && isPair(byDefault) ? (stored as LayoutName) : byDefault;
}

/** Does the same without writing a record. Returns undefined if there is none. */
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
  const akka = settings.akka ?? (stored === "shared" ? "unknown" : "none");
  const hasAllRegistered = layout === "packed" || (akka === "none" && record["ids"]?.S === allRegistered);
  return { ...context, layout: own, akka, hasAllRegistered };
}

/**
 * Does the same for readers, which write no record. A journal without a record has been written only by an Akka plugin,
 * if at all.
 */
export async function checkSettingsToRead(
  context: JournalContext,
  settings: ResolvedJournalOptions,
  given: Pick<JournalOptions, "layout">,
): Promise<JournalContext> {
  const record = await compareSettings(context, settings, given);
  if (record !== undefined) return record;
  if (given.layout === undefined && settings.layout === "packed") {
    const { layout, akka } = await layoutToRead(context, settings, callOptions(context));
    const hasAllRegistered = layout === "packed";
    return { ...context, layout: layoutOf({ ...settings, layout }), akka, hasAllRegistered };
  }
  const unknown = settings.layout === "linear" || settings.layout === "packed" ? "none" : "unknown";
  return { ...context, akka: settings.akka ?? unknown };
}

/** The layout that a journal without `layout` in its options has, whatever its other settings. */
export async function findLayout(
  context: JournalContext,
  settings: ResolvedJournalOptions,
): Promise<LayoutName> {
  const call = callOptions(context);
  const record = await readRecord(context, call);
  if (record !== undefined) return sameKeys(record, settings.layout);
  return (await layoutToRead(context, settings, call)).layout;
}

/** Returns whether an Akka plugin uses the table, from the journal's record. */
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
export async function readRecord(context: JournalContext, call: CallOptions): Promise<Item | undefined> {
  const { port, table, layout } = context;
  const Key = layout.metadataKey();
  try {
    return (await port.getItem({ TableName: table, Key, ConsistentRead: true }, call)).Item;
  } catch (error) {
    throw isDynamoError(error, "ValidationException")
      ? ((await wrongTable(context, error, call)) ?? error)
      : error;
  }
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
      `the journal was created with ${setting} ${stored}, not ${value}: open it with ${stored}`,
      { setting, stored, given: value },
    );
  }
}
