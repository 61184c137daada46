import { transactWrite } from "@tablekeep/client";
import type { AttributeValue, TransactWriteItem } from "@tablekeep/core";
import type { MailCall } from "../../../model/mail-context.ts";
import { MailError } from "../../../model/mail-error.ts";
import type { ChangeEntry } from "../../../model/mail-layout.ts";
import type { MailMarks } from "../../../model/message.ts";
import { maxTags, sortedTags } from "../../../model/tag-rules.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { inCurrentEra } from "../hours/eras.ts";
import { summaryKey } from "../items/mail-keys.ts";
import type { SummaryRecord } from "../items/summary-item.ts";
import { changePut, newChange } from "../read/change-items.ts";
import { recordsOf } from "../read/read-summaries.ts";

/** One action of a transaction stores the change. */
const summariesAtOnce = 99;

/** The maximum number of times that messages which others change concurrently are read again. */
const maxRounds = 20;

/** Changes marks of messages, and reports each stored change. Returns how many messages there are. */
export async function markMessages(
  context: ShardedContext,
  ids: readonly string[],
  marks: MailMarks,
  call: MailCall,
  onMarked: (change: ChangeEntry) => void,
): Promise<number> {
  const distinct = [...new Set(ids)];
  let count = 0;
  for (let at = 0; at < distinct.length; at += summariesAtOnce)
    count += await markGroup(context, distinct.slice(at, at + summariesAtOnce), marks, call, onMarked);
  return count;
}

/**
 * Marks messages in one transaction with the entry of the change. Only the given fields are written, and tags are added to and removed from
 * the stored set, so concurrent marks of the same message by several instances lose nothing.
 */
async function markGroup(
  context: ShardedContext,
  ids: readonly string[],
  marks: MailMarks,
  call: MailCall,
  onMarked: (change: ChangeEntry) => void,
): Promise<number> {
  for (let round = 1; ; round++) {
    const records = await inCurrentEra(context.eras, call, (era) => recordsOf(context, era, ids, call));
    const there = records.filter((record) => record !== undefined);
    const changed = there.filter((record) => changes(record, marks));
    if (changed.length === 0) return there.length;
    const full = changed.find((record) => tagsAfter(record, marks).length > maxTags);
    if (full !== undefined) throw tooManyTags(full.summary.id);
    const change = newChange(
      context,
      "marked",
      changed.map(({ summary }) => summary.id),
    );
    const actions = [changePut(context, change), ...changed.map((record) => update(context, record, marks))];
    const outcome = await transactWrite(context.port, actions, call);
    if (outcome.kind === "ok") {
      onMarked(change);
      return there.length;
    }
    // Another instance has deleted some of them, or added tags.
    if (outcome.kind !== "conflict" || round >= maxRounds) throw outcome.error;
  }
}

function changes(record: SummaryRecord, marks: MailMarks): boolean {
  const { read, tags } = record.summary;
  const after = tagsAfter(record, marks);
  return (
    (marks.read ?? read) !== read || after.length !== tags.length || after.some((tag) => !tags.includes(tag))
  );
}

function tagsAfter({ summary }: SummaryRecord, { tags, addTags = [], removeTags = [] }: MailMarks): string[] {
  const kept = (tags ?? summary.tags).filter((tag) => !removeTags.includes(tag));
  return sortedTags([...kept, ...addTags]);
}

function update(
  { table }: Pick<ShardedContext, "table">,
  { summary, place }: SummaryRecord,
  marks: MailMarks,
): TransactWriteItem {
  const { read, tags, addTags = [], removeTags = [] } = marks;
  const names: Record<string, string> = { "#body": "body" };
  const values: Record<string, AttributeValue> = {};
  const clauses: string[] = [];
  const conditions = ["attribute_exists(#body)"];
  const sets: string[] = [];
  if (read !== undefined) {
    names["#read"] = "read";
    values[":read"] = { BOOL: read };
    sets.push("#read = :read");
  }
  if (tags !== undefined && tags.length > 0) sets.push("#tags = :tags");
  if (sets.length > 0) clauses.push(`SET ${sets.join(", ")}`);
  if (tags !== undefined && tags.length === 0) clauses.push("REMOVE #tags");
  if (addTags.length > 0) {
    clauses.push("ADD #tags :tags");
    conditions.push("(attribute_not_exists(#tags) OR size(#tags) <= :most)");
    const added = addTags.filter((tag) => !summary.tags.includes(tag));
    values[":most"] = { N: String(maxTags - new Set(added).size) };
  }
  if (removeTags.length > 0) clauses.push("DELETE #tags :tags");
  const set = [...(tags ?? []), ...addTags, ...removeTags];
  if (tags !== undefined || set.length > 0) names["#tags"] = "tags";
  if (set.length > 0) values[":tags"] = { SS: sortedTags(set) };
  return {
    Update: {
      TableName: table,
      Key: summaryKey(summary.id, place),
      UpdateExpression: clauses.join(" "),
      // A delete at the same time must not leave an item with marks only.
      ConditionExpression: conditions.join(" AND "),
      ExpressionAttributeNames: names,
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    },
  };
}

function tooManyTags(id: string): MailError<"MAIL_TAGS_TOO_MANY"> {
  const message = `message ${id} would have more than ${maxTags} tags: remove some first`;
  return new MailError("MAIL_TAGS_TOO_MANY", message, { id, maximum: maxTags });
}
