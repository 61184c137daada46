import { type CallOptions, type Item, isDynamoError } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { type DeadRows, judgeOccupant, readEventItem } from "../protocol/judge-occupant.ts";
import { type Settled, settle } from "../protocol/settle.ts";
import { asStaged } from "../rows/checksum.ts";
import type { PreparedWrite } from "./prepare-write.ts";

/** A conditional put of one row: its sequence number must be unused, or used by a row that is known to be dead. */
export interface RowPut {
  readonly TableName: string;
  readonly Item: Item;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
  readonly ReturnValuesOnConditionCheckFailure: "ALL_OLD";
}

/** The put of row number `at` (from 0) of a write. */
export function rowPut(
  { table, layout }: JournalContext,
  write: PreparedWrite,
  at: number,
  dead: DeadRows,
  staged: boolean,
): RowPut {
  const sequenceNr = write.numbers[at] as number;
  const deadWriteId = dead.get(sequenceNr);
  const item = write.items[at] as Item;
  const put = {
    TableName: table,
    Item: staged ? asStaged(item, layout.packed === undefined ? "sum" : "crc") : item,
    ConditionExpression: "attribute_not_exists(#key)",
    ExpressionAttributeNames: { "#key": layout.keyNames[0] },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  } as const;
  if (deadWriteId === undefined) return put;
  return {
    ...put,
    // In a stream this is a change to an item, as deletions and compactions are. The attribute distinguishes it from them.
    Item: staged ? put.Item : { ...put.Item, over: { BOOL: true } },
    ConditionExpression: "attribute_not_exists(#key) OR (#wid = :dead AND #staged = :true)",
    ExpressionAttributeNames: { ...put.ExpressionAttributeNames, "#wid": "wid", "#staged": "staged" },
    ExpressionAttributeValues: { ":dead": { S: deadWriteId }, ":true": { BOOL: true } },
  };
}

/** Writes one row: one conditional put. `at` is its place in the write. */
export function sendSingle(
  context: JournalContext,
  write: PreparedWrite,
  at: number,
  staged: boolean,
  options: CallOptions,
): Promise<Settled> {
  const dead: DeadRows = new Map();
  const sequenceNr = write.numbers[at] as number;
  const { persistenceId, writeId } = write;
  return settle(
    {
      send: (call) => context.port.putItem(rowPut(context, write, at, dead, staged), call),
      isStored: async (call) =>
        (await readEventItem(context, persistenceId, sequenceNr, call))?.["wid"]?.S === writeId,
      judge: async (error, _inDoubt, call) => {
        if (!isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
        const { first } = write;
        const occupied = { persistenceId, sequenceNr, first, writeId, item: error.details.item };
        return judgeOccupant(context, occupied, error, dead, call);
      },
    },
    context,
    options,
  );
}
