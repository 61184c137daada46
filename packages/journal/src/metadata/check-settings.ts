import { type CallOptions, type Item, isDynamoError } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { JournalError } from "../journal-error.ts";
import type { ResolvedJournalOptions } from "../journal-options.ts";

/** The format of what this version writes beside the original's items. */
const ownFormat = "1";

/**
 * Holds the settings against the journal's own record, which the first opener writes: with other shards marks would be
 * lost, with another layout everything. The original has no such record, and loses marks silently.
 */
export async function checkSettings(
  context: JournalContext,
  settings: ResolvedJournalOptions,
): Promise<void> {
  if (await compareSettings(context, settings)) return;
  const { port, table, layout, deadlineMs } = context;
  const given = recordOf(settings);
  const attributes = Object.entries(given).map(([name, value]) => [name, { S: value }]);
  try {
    await port.putItem(
      {
        TableName: table,
        Item: { ...layout.metadataKey(), ...Object.fromEntries(attributes) },
        ConditionExpression: "attribute_not_exists(#key)",
        ExpressionAttributeNames: { "#key": layout.keyNames[0] },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      },
      { deadlineMs },
    );
  } catch (error) {
    if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
    // Another opener was faster.
    compare(error.details.item ?? {}, given);
  }
}

/** The same without writing a record where there is none. False if there is none. */
export async function compareSettings(
  context: JournalContext,
  settings: ResolvedJournalOptions,
): Promise<boolean> {
  const record = await readRecord(context, { deadlineMs: context.deadlineMs });
  if (record !== undefined) compare(record, recordOf(settings));
  return record !== undefined;
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
