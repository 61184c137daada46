import {
  type DynamoErrorDetails,
  type DynamoPort,
  type Get,
  type Item,
  isDynamoError,
  type TablekeepError,
} from "@tablekeep/core";
import { checkOptions } from "../base/check-options.ts";
import { ClientError } from "../base/client-error.ts";
import { itemId } from "../base/key-names.ts";
import {
  type OperationOptions,
  operationOptionChecks,
  sendRepeatedly,
  startOperation,
} from "../retry/operation.ts";
import { cancellationMeaning } from "./transact-evidence.ts";
import { maxTransactActions } from "./transact-write-params.ts";

/**
 * Reads up to 100 items as of one moment. Returns them in the order of the gets, `undefined` where there is none. Items that
 * are locked by a write or throttled are retried until the deadline.
 *
 * @example
 * const [cart, stock] = await transactGet(port, [{ TableName: "carts", Key }, { TableName: "stock", Key: item }]);
 */
export async function transactGet(
  port: DynamoPort,
  gets: readonly Get[],
  options: OperationOptions = {},
): Promise<(Item | undefined)[]> {
  checkOptions(options, operationOptionChecks);
  if (gets.length > maxTransactActions) {
    throw new ClientError(
      "CLIENT_LIMIT_EXCEEDED",
      `transaction has ${gets.length} reads, but DynamoDB accepts at most ${maxTransactActions}: read fewer items per transaction`,
      { limit: "transaction actions", actual: gets.length, maximum: maxTransactActions },
    );
  }
  const TransactItems = gets.map((each) => ({ Get: each }));
  const { Responses = [] } = await sendRepeatedly(
    port,
    options,
    (call) => port.transactGetItems({ TransactItems }, call),
    isRetryable,
  );
  return gets.map((_, index) => Responses[index]?.Item);
}

function isRetryable(error: TablekeepError): boolean {
  if (isDynamoError(error, "TransactionCanceledException"))
    return cancellationMeaning((error.details as DynamoErrorDetails).cancellationReasons ?? []) === "retry";
  return error.retryable;
}

/**
 * Reads groups of items, each group as of one moment. Groups share a transaction as long as DynamoDB accepts it: up to
 * 100 items of 4 MB together. The size of an item is not known before it is read, and a projection does not reduce it,
 * so a transaction that DynamoDB rejects is split in two. A group that is rejected on its own fails the call.
 *
 * @example
 * const [[head, body]] = await transactGetGroups(port, [[{ TableName, Key: one }, { TableName, Key: two }]]);
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
      if (chunk.length < 2 || !isRejected(error)) throw error;
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

/** Splits groups into runs of up to 100 items. A larger group stays alone, and is rejected. */
function chunksOf(groups: readonly (readonly Get[])[]): (readonly Get[])[][] {
  const chunks: (readonly Get[])[][] = [];
  let left = 0;
  for (const group of groups) {
    const last = chunks.at(-1);
    if (last === undefined || group.length > left) {
      chunks.push([group]);
      left = maxTransactActions;
    } else last.push(group);
    left -= group.length;
  }
  return chunks;
}

/** AWS documents that a read of more than 4 MB is rejected, but not by which exception. */
function isRejected(error: unknown): boolean {
  if (isDynamoError(error, "ValidationException")) return true;
  if (!isDynamoError(error, "TransactionCanceledException")) return false;
  return (error.details.cancellationReasons ?? []).some(({ Code }) => Code === "ValidationError");
}
