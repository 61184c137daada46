import { type Item, isDynamoError } from "@tablekeep/core";
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
  const { port, table, layout, deadlineMs } = context;
  const given = {
    layout: layout.name,
    sequenceShards: String(settings.sequenceShards),
    fencing: settings.fencing,
    format: ownFormat,
  };
  const Key = layout.metadataKey();
  const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true }, { deadlineMs });
  if (Item !== undefined) {
    compare(Item, given);
    return;
  }
  const attributes = Object.entries(given).map(([name, value]) => [name, { S: value }]);
  try {
    await port.putItem(
      {
        TableName: table,
        Item: { ...Key, ...Object.fromEntries(attributes) },
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
