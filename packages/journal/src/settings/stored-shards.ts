import { type CallOptions, type Item, isTablekeepError } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import type { ResolvedJournalOptions } from "../context/journal-options.ts";
import { JournalError } from "../errors/journal-error.ts";
import { numberOf } from "../layouts/layout.ts";

/** A mark of an Akka plugin: its shard is `place` modulo the number of shards. */
interface PlacedMark {
  readonly shard: number;
  readonly place: number;
}

/**
 * Throws `JOURNAL_SETTINGS_DIFFER` if marks in a table show that an Akka plugin has another number of shards. With fewer, marks would not
 * be found here; with more, Akka would not find ours, and both would assign the same sequence numbers again. Reads 1 MB of the table at most: fewer marks show
 * less, and marks that fit no number at all, as after a change of the plugin's setting, show nothing.
 */
export async function checkStoredShards(
  context: JournalContext,
  { sequenceShards: given }: Pick<ResolvedJournalOptions, "sequenceShards">,
  call: CallOptions,
): Promise<void> {
  if (context.layout.markKeys("").high.length === 0) return;
  const marks = await readMarks(context, call);
  if (marks.length === 0 || marks.some(({ place, shard }) => place < shard)) return;
  const least = Math.max(...marks.map(({ shard }) => shard)) + 1;
  const common = marks.reduce((divisor, { place, shard }) => greatestDivisor(divisor, place - shard), 0);
  if (given >= least && common % given === 0) return;
  const fitting = common === 0 ? `at least ${least}` : divisorsFrom(common, least).join(" or ");
  if (fitting === "") return;
  throw new JournalError(
    "JOURNAL_SETTINGS_DIFFER",
    `the marks in table ${context.table} were written with sequence-shards ${fitting}, not ${given}: open the journal with sequenceShards as in the configuration of the Akka plugin`,
    { setting: "sequenceShards", stored: fitting, given: String(given) },
  );
}

async function readMarks({ port, table, layout }: JournalContext, call: CallOptions): Promise<PlacedMark[]> {
  const { high } = layout.markAttributes;
  const attributes = [...new Set([...layout.keyNames, high])];
  const names = Object.fromEntries(attributes.map((name, at) => [`#a${at}`, name]));
  const input = {
    TableName: table,
    ConsistentRead: true,
    ProjectionExpression: Object.keys(names).join(", "),
    ExpressionAttributeNames: names,
  };
  const bucketSize = layout.name === "bucketed" ? 100 : 1;
  const markOf = (item: Item): PlacedMark[] => {
    const found = layout.describe(item);
    const value = numberOf(item, high);
    if (found.kind !== "high-mark" || !Number.isSafeInteger(value)) return [];
    return [{ shard: found.shard, place: Math.floor((value ?? 0) / bucketSize) }];
  };
  try {
    const { Items = [] } = await port.scan(input, call);
    return Items.flatMap(markOf);
  } catch (error) {
    if (isTablekeepError(error) && error.kind === "denied") return [];
    throw error;
  }
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}

/** The divisors of a number that are not below a limit and can be a number of shards. */
function divisorsFrom(number: number, least: number): number[] {
  const found: number[] = [];
  for (let divisor = least; divisor <= Math.min(number, maxShards); divisor++)
    if (number % divisor === 0) found.push(divisor);
  return found;
}

/** The most that the option accepts. */
const maxShards = 100_000;
