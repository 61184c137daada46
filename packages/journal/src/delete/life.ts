import { newWriteId } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import { sendIdempotent } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import type { LowMark } from "../protocol/marks.ts";

/**
 * A purge ends the life of an id, and the next append begins a new one with the same sequence numbers. The writer item
 * has a name for each life. A delete reads the name with its first request and changes marks only if the name is
 * unchanged; otherwise, everything that it was to delete is already removed.
 */
export interface Life {
  readonly name: string;
  /** Identifies the last call that read the name. */
  readonly claim: string;
}

/** The low mark of one life of an id. */
export interface Deleted {
  readonly life: Life;
  readonly mark: LowMark;
}

/** Returns the life of an id, and names it if it has no name yet. */
export async function claimLife(
  context: JournalContext,
  persistenceId: string,
  options: Call,
): Promise<Life> {
  const { port, table, layout } = context;
  const claim = newWriteId();
  let item: Item | undefined;
  await sendIdempotent(context, options, async (call) => {
    const { Attributes } = await port.updateItem(
      {
        TableName: table,
        Key: layout.writerKey(persistenceId),
        UpdateExpression: "SET life = if_not_exists(life, :claim), life_claim = :claim",
        ExpressionAttributeValues: { ":claim": { S: claim } },
        ReturnValues: "UPDATED_NEW",
      },
      call,
    );
    item = Attributes;
  });
  return { name: item?.["life"]?.S ?? claim, claim };
}

/** Removes the writer item of an id that has never had an event, unless it is used for something else. */
export async function releaseLife(
  context: JournalContext,
  persistenceId: string,
  { name, claim }: Life,
  options: Call,
): Promise<void> {
  const { port, table, layout } = context;
  const unused = ["epoch", "stage", "cleared", "low"].map(
    (attribute) => `attribute_not_exists(${attribute})`,
  );
  await sendIdempotent(context, options, (call) =>
    port.deleteItem(
      {
        TableName: table,
        Key: layout.writerKey(persistenceId),
        ConditionExpression: ["life = :life", "life_claim = :claim", ...unused].join(" AND "),
        ExpressionAttributeValues: { ":life": { S: name }, ":claim": { S: claim } },
      },
      call,
    ),
  );
}

/** Returns whether an id still has this life. */
export async function isSameLife(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  { name }: Life,
  options: Call,
): Promise<boolean> {
  const Key = layout.writerKey(persistenceId);
  const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true }, options);
  return Item?.["life"]?.S === name;
}
