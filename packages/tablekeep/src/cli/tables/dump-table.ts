import { scanPages } from "@tablekeep/client";
import type { DynamoPort, TableDescription } from "@tablekeep/core";
import { wireDescription } from "../../dynamodb-json/wire-description.ts";
import { wireItem } from "../../dynamodb-json/wire-item.ts";
import { settingMembers, type TableSettings } from "./table-settings.ts";

/**
 * The text of a dump, a page at a time: `{ "TableDescription": …, "Items": [ … ] }` with one item a line, and settings
 * between the two where there are any. No more than a page is held.
 */
export async function* dumpTable(
  port: DynamoPort,
  description: TableDescription,
  settings: TableSettings,
  onItems: (count: number) => void,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const head = { TableDescription: wireDescription(description), ...settingMembers(settings) };
  const members = Object.entries(head).map(([name, member]) => `"${name}":${JSON.stringify(member)},\n`);
  yield `{${members.join("")}"Items":[`;
  let between = "\n";
  const input = { TableName: description.TableName, ConsistentRead: true };
  for await (const { Items = [] } of scanPages(port, input, { signal, deadlineMs: 60_000 })) {
    if (Items.length === 0) continue;
    yield between + Items.map((item) => JSON.stringify(wireItem(item))).join(",\n");
    between = ",\n";
    onItems(Items.length);
  }
  yield "\n]}\n";
}
