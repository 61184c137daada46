import { type CallOptions, type Item, isDynamoError, type UpdateItemInput } from "@tablekeep/core";
import { akkaSerializers } from "../../codecs/serializer-ids.ts";
import { forEachInParallel } from "../../context/calls.ts";
import type { JournalContext } from "../../context/journal-context.ts";
import { optionInvalid } from "../../errors/journal-error.ts";
import { readEventItem } from "../../protocol/judge-occupant.ts";
import { readPosition } from "../../protocol/position.ts";
import { readRow, writeRow } from "../../protocol/row-item.ts";

/** Adds a channel to those that confirmed a message. False if there is no such message. */
export function confirmMessage(
  context: JournalContext,
  persistenceId: string,
  sequenceNr: number,
  channel: string,
  call: CallOptions,
): Promise<boolean> {
  if (channel === "") return Promise.reject(optionInvalid("channel", "must be a non-empty string"));
  return updateMessage(
    context,
    persistenceId,
    sequenceNr,
    {
      UpdateExpression: "ADD #confirmations :channel",
      ConditionExpression: "attribute_exists(#payload)",
      ExpressionAttributeNames: { "#confirmations": context.messageNames.confirmations },
      ExpressionAttributeValues: { ":channel": { SS: [channel] } },
    },
    call,
  );
}

/** Marks a message as deleted. The original would make an item without payload where there is none: we do not. */
export function deleteSoftly(
  context: JournalContext,
  persistenceId: string,
  sequenceNr: number,
  call: CallOptions,
): Promise<boolean> {
  return updateMessage(
    context,
    persistenceId,
    sequenceNr,
    {
      UpdateExpression: "SET #deleted = :true",
      ConditionExpression: "attribute_exists(#payload) AND NOT #deleted = :true",
      ExpressionAttributeNames: { "#deleted": context.messageNames.deleted },
      ExpressionAttributeValues: { ":true": { S: "true" } },
    },
    call,
  );
}

/**
 * Empties a message and marks it as deleted: its data is gone, and its sequence number stays in use. If the row were
 * removed, a replay could not distinguish it from a lost one.
 */
export async function deletePermanently(
  context: JournalContext,
  persistenceId: string,
  sequenceNr: number,
  call: CallOptions,
): Promise<boolean> {
  const { port, table } = context;
  const item = await readEventItem(context, persistenceId, sequenceNr, call);
  const row = item && readRow(context, persistenceId, item);
  if (item === undefined || row?.kind !== "event" || isEmpty(item, row.payload.bytes)) return false;
  const { writeId, batch, writerUuid, timestamp, staged } = row;
  const Item = writeRow(context, {
    kind: "event",
    persistenceId,
    sequenceNr,
    payload: { serializerId: akkaSerializers.bytes, manifest: "", bytes: new Uint8Array() },
    manifest: "",
    writerUuid,
    tags: [],
    deleted: true,
    staged,
    writeId,
    batch,
    timestamp,
  });
  const wid = writeId === undefined ? "attribute_not_exists(#wid)" : "#wid = :wid";
  return unlessRefused(() =>
    port.putItem(
      {
        TableName: table,
        Item,
        ConditionExpression: `attribute_exists(#payload) AND ${wid}`,
        ExpressionAttributeNames: { "#payload": context.messageNames.payload, "#wid": "wid" },
        ...(writeId !== undefined && { ExpressionAttributeValues: { ":wid": { S: writeId } } }),
      },
      call,
    ),
  );

  function isEmpty(stored: Item, bytes: Uint8Array): boolean {
    return stored[context.messageNames.deleted]?.S === "true" && bytes.length === 0;
  }
}

function updateMessage(
  { port, table, layout, messageNames }: JournalContext,
  persistenceId: string,
  sequenceNr: number,
  update: Omit<UpdateItemInput, "TableName" | "Key">,
  call: CallOptions,
): Promise<boolean> {
  const input = {
    ...update,
    TableName: table,
    Key: layout.eventKey(persistenceId, sequenceNr),
    ExpressionAttributeNames: { ...update.ExpressionAttributeNames, "#payload": messageNames.payload },
  };
  // It only sets values, so sending it twice does no harm.
  return unlessRefused(() => port.updateItem(input, { ...call, idempotent: true }));
}

async function unlessRefused(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
    throw error;
  }
}

/**
 * Marks all messages up to a sequence number as deleted. Writes no low mark, which would allow the rows to be removed.
 * (The original writes an `SL` item for every message, which adds nothing to the message itself.)
 */
export async function deleteSoftlyTo(
  context: JournalContext,
  persistenceId: string,
  toSequenceNr: number,
  call: CallOptions,
): Promise<void> {
  const { lowest, highest } = await readPosition(context, persistenceId, call);
  const to = Math.min(toSequenceNr, highest);
  await forEachInParallel(Math.max(0, to - lowest + 1), async (at) => {
    await deleteSoftly(context, persistenceId, lowest + at, call);
    return true;
  });
}
