import { type DynamoPort, type Get, type Item, isDynamoError } from "@tablekeep/core";
import { itemId } from "../key-text.ts";
import { type OperationOptions, startOperation } from "../operation-options.ts";
import { transactGet } from "./transact-get.ts";
import { maxTransactActions } from "./transact-write-params.ts";

/**
 * Reads groups of items, each group as of one moment. Groups share a transaction as long as DynamoDB accepts it: up to
 * 100 items of 4 MB together. The size of an item is not known before it is read, and a projection does not reduce it,
 * so a transaction that DynamoDB refuses is split in two. A group that is refused on its own fails the call.
 */
export async function transactGetGroups(
  port: DynamoPort,
  groups: readonly (readonly Get[])[],
  options: OperationOptions = {},
): Promise<(Item | undefined)[][]> {
  const { deadline } = startOperation(options);
  const read = async (chunk: readonly (readonly Get[])[]): Promise<(Item | undefined)[][]> => {
    const gets = new Map(chunk.flat().map((get) => [idOf(get), get]));
    try {
      const items = await transactGet(port, [...gets.values()], {
        ...options,
        deadlineMs: Math.max(1, deadline.remainingMs()),
      });
      const byId = new Map([...gets.keys()].map((id, at) => [id, items[at]]));
      return chunk.map((group) => group.map((get) => byId.get(idOf(get))));
    } catch (error) {
      if (chunk.length < 2 || !isRefused(error)) throw error;
      const half = Math.ceil(chunk.length / 2);
      // In order: a caller may rely on the groups behind being read no earlier than those in front.
      return [...(await read(chunk.slice(0, half))), ...(await read(chunk.slice(half)))];
    }
  };
  const results: (Item | undefined)[][] = [];
  for (const chunk of chunksOf(groups)) results.push(...(await read(chunk)));
  return results;
}

function idOf({ TableName = "", Key = {} }: Get): string {
  return itemId(TableName, Key);
}

/** Cuts groups into runs of up to 100 items. A larger group stays alone, and is refused. */
function chunksOf(groups: readonly (readonly Get[])[]): (readonly Get[])[][] {
  const chunks: (readonly Get[])[][] = [];
  let room = 0;
  for (const group of groups) {
    const last = chunks.at(-1);
    if (last === undefined || group.length > room) {
      chunks.push([group]);
      room = maxTransactActions;
    } else last.push(group);
    room -= group.length;
  }
  return chunks;
}

/** AWS documents that a read of more than 4 MB is rejected, but not by which exception. */
function isRefused(error: unknown): boolean {
  if (isDynamoError(error, "ValidationException")) return true;
  if (!isDynamoError(error, "TransactionCanceledException")) return false;
  return (error.details.cancellationReasons ?? []).some(({ Code }) => Code === "ValidationError");
}
