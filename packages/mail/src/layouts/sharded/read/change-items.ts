import type { Item, TransactWriteItem } from "@tablekeep/core";
import type { MailCall } from "../../../model/mail-context.ts";
import type { ChangeEntry } from "../../../model/mail-layout.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { settlingMs } from "../hours/hours.ts";
import { changesPartition, firstIdAt, hourOf, parseId } from "../items/mail-keys.ts";
import { hoursBetween, readPartition } from "./read-summaries.ts";

/** How long watchers can resume after a change. */
export const keptMs: number = 86_400_000;

const allKinds: readonly ChangeEntry["kind"][] = ["deleted", "marked", "imported"];

/** Creates the entry of a change that is about to be made. */
export function newChange(
  { newId }: Pick<ShardedContext, "newId">,
  kind: ChangeEntry["kind"],
  ids: readonly string[],
): ChangeEntry {
  const id = newId();
  return { id, created: parseId(id)?.ms ?? 0, kind, ids };
}

/** Stores a change in the transaction that makes it: watchers of other instances then miss none, and see none that was not made. */
export function changePut({ table }: Pick<ShardedContext, "table">, change: ChangeEntry): TransactWriteItem {
  const { id, created, kind, ids } = change;
  const Item: Item = {
    pk: { S: changesPartition(hourOf(created)) },
    sk: { S: id },
    kind: { S: kind },
    ids: { SS: [...ids] },
    // A day more than readers rely on.
    expires: { N: String(Math.floor((created + 2 * keptMs) / 1000)) },
  };
  return { Put: { TableName: table, Item } };
}

/** Returns the changes of these kinds of this millisecond or later, oldest first. Ends with the page that exceeds `limit`. */
export async function changesSince(
  context: ShardedContext,
  sinceMs: number,
  { limit, kinds = allKinds }: { readonly limit: number; readonly kinds?: readonly ChangeEntry["kind"][] },
  call: MailCall,
): Promise<ChangeEntry[]> {
  const { clock } = context;
  const found: ChangeEntry[] = [];
  const begin = Math.max(sinceMs, clock.now() - 2 * keptMs);
  const range = { from: firstIdAt(begin), first: "oldest" } as const;
  // A clock of another machine may be ahead.
  for (const hour of hoursBetween(begin, clock.now() + settlingMs)) {
    for await (const items of readPartition(context, changesPartition(hour), range, call)) {
      for (const change of items.map(readChange))
        if (change !== undefined && kinds.includes(change.kind)) found.push(change);
      if (found.length > limit) return found;
    }
  }
  return found;
}

function readChange(item: Item): ChangeEntry | undefined {
  const id = item["sk"]?.S ?? "";
  const kind = allKinds.find((each) => each === item["kind"]?.S);
  const place = parseId(id);
  if (place === undefined || kind === undefined) return undefined;
  return { id, created: place.ms, kind, ids: item["ids"]?.SS ?? [] };
}
