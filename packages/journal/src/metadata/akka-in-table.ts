import { type CallOptions, isTablekeepError } from "@tablekeep/core";
import type { AkkaUse, JournalContext } from "../journal-context.ts";
import type { ResolvedJournalOptions } from "../journal-options.ts";
import { optionInvalid } from "../options/check-options.ts";
import { itemReader } from "../tools/journal-item.ts";

/** Items that are looked at to find one of an Akka plugin. */
const sampleSize = 100;

/**
 * Whether a table in which this journal has no record holds items of it: those are of an Akka plugin, which writes no record.
 * One request. Where other journals fill the sample nothing is guessed: the caller must say it.
 */
export async function akkaInTable(
  { port, table, layout }: JournalContext,
  settings: ResolvedJournalOptions,
  call: CallOptions,
): Promise<AkkaUse> {
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
  const kindOf = itemReader(layout, settings);
  if (sample.Items?.some((item) => kindOf(item).kind !== "other")) return "unknown";
  if (sample.LastEvaluatedKey === undefined) return "none";
  throw undecided("the table has no record of it and more than 100 items of others");
}

function undecided(reason: string): Error {
  return optionInvalid(
    "akka",
    `must be given the first time that this journal is opened to be written, because ${reason}: pass akka "none" if no Akka plugin uses this journal, or "2.5" or "2.6", the line of the Akka that does`,
  );
}
