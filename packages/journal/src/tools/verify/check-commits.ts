import { queryItems } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import { numberOf } from "../../layouts/layout.ts";
import { pageSettings, readItems } from "../../replay/read-rows.ts";
import { tombstoneNames } from "../../rows/tombstone.ts";
import type { Tool } from "../open-tool.ts";
import { type Finding, finding, numbersText } from "./finding.ts";

/**
 * A commit record must have its batch: a row that names its write, or the tombstone that takes the record along. In the
 * scattered layout records cannot be listed, and nothing is looked for.
 */
export async function* checkCommits(
  { context, call }: Tool,
  persistenceId: string,
): AsyncGenerator<Finding, void, undefined> {
  const query = context.layout.commitQuery?.(persistenceId);
  if (query === undefined) return;
  const { port, table, layout } = context;
  const input = { TableName: table, ...query, ConsistentRead: true };
  for await (const record of queryItems(port, input, pageSettings(context, call))) {
    const first = Math.abs(numberOf(record, layout.keyNames[1] ?? "") ?? 0);
    const last = numberOf(record, "last") ?? first;
    const writeId = record["wid"]?.S ?? "";
    if (await hasBatch({ context, call }, persistenceId, { first, last, writeId })) continue;
    const message = `a commit record of ${numbersText(first, last)} has no batch any more`;
    const repair = { action: "remove-commit-record", writeId, first } as const;
    yield finding("commit-record-left", persistenceId, message, { from: first, to: last, repair });
  }
}

async function hasBatch(
  { context, call }: Pick<Tool, "context" | "call">,
  persistenceId: string,
  { first, last, writeId }: { readonly first: number; readonly last: number; readonly writeId: string },
): Promise<boolean> {
  const isOf = (item: Item) =>
    item["wid"]?.S === writeId ||
    (item[tombstoneNames.mark]?.BOOL === true && numberOf(item, tombstoneNames.commitOf) === first);
  // Nearly always the last row tells: those before it may be deleted.
  for (const range of [
    { from: last, to: last },
    { from: first, to: last },
  ]) {
    for await (const page of readItems(context, persistenceId, range, call)) {
      if (page.some(isOf)) return true;
    }
  }
  return false;
}
