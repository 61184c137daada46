import { defineProjection, type Projection, type ProjectionTransaction } from "@tablekeep/feed/projections";

/** Whether an event fails until its handler is corrected. */
export function isPoison(sequenceNr: number): boolean {
  return sequenceNr % 5 === 3;
}

/**
 * Two versions of a projection that keep per id the list of what was applied: the first one parks events that fail, the second one stops. And a
 * log per slice, in which a rewind is visible.
 */
export function projectionsOf(isHealed: boolean): Projection[] {
  const retry = { attempts: 1, backoffMs: 1 };
  const lists = (version: number, onPoison: "park" | "stop") =>
    defineProjection({
      name: "lists",
      version,
      onPoison,
      retry,
      groupSize: 4,
      handle: ({ persistenceId, sequenceNr }, tx) => {
        if (!isHealed && isPoison(sequenceNr)) throw new Error("poison");
        append(tx, `${persistenceId}@${version}`, sequenceNr);
      },
    });
  return [lists(1, "park"), lists(2, "stop"), logProjection()];
}

function logProjection(): Projection {
  return defineProjection({
    name: "log",
    groupSize: 4,
    handle: (_event, tx) => {
      append(tx, `log-${tx.slice}`, tx.offset);
    },
  });
}

/** Appends to a list. Without a condition, so that only the fence of the position prevents that something is appended twice. */
function append(tx: ProjectionTransaction, id: string, value: number): void {
  tx.action({
    Update: {
      TableName: "model",
      Key: { id: { S: id } },
      UpdateExpression: "SET #list = list_append(if_not_exists(#list, :none), :value)",
      ExpressionAttributeNames: { "#list": "list" },
      ExpressionAttributeValues: { ":none": { L: [] }, ":value": { L: [{ N: String(value) }] } },
    },
  });
}
