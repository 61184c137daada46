/** The outbox: messages that are written with the events of the entity that sends them. */
import { createHash } from "node:crypto";
import type { TableSpec } from "@tablekeep/client";
import type { DynamoPort, Item, TransactWriteItem } from "@tablekeep/core";

const outboxTable = "bank-outbox";

/** A command to an entity. Its id is the command id, so a repeated delivery changes nothing. */
export interface Message {
  readonly id: string;
  readonly to: "account" | "transfer";
  readonly target: string;
  readonly command: Readonly<Record<string, unknown>>;
}

/** The messages are spread over this many partitions, and each relay polls all of them. */
export const shards: readonly string[] = ["0", "1", "2", "3"];

export const outboxTableSpec: TableSpec = {
  name: outboxTable,
  partitionKey: { name: "shard", type: "S" },
  sortKey: { name: "id", type: "S" },
};

/** Returns the item that sends a message, for `alsoWrite`. */
export function send({ id, to, target, command }: Message): TransactWriteItem {
  const Item = {
    ...keyOf(id),
    to: { S: to },
    target: { S: target },
    command: { S: JSON.stringify(command) },
  };
  return { Put: { TableName: outboxTable, Item } };
}

/** Returns the first messages of a shard. */
export async function waitingIn(port: DynamoPort, shard: string): Promise<Message[]> {
  const { Items = [] } = await port.query({
    TableName: outboxTable,
    KeyConditionExpression: "#shard = :shard",
    ExpressionAttributeNames: { "#shard": "shard" },
    ExpressionAttributeValues: { ":shard": { S: shard } },
    ConsistentRead: true,
    Limit: 25,
  });
  return Items.map(messageOf);
}

/** Removes a delivered message. */
export async function remove(port: DynamoPort, { id }: Message): Promise<void> {
  await port.deleteItem({ TableName: outboxTable, Key: keyOf(id) });
}

function messageOf({ id, to, target, command }: Item): Message {
  return {
    id: id?.S ?? "",
    to: to?.S === "account" ? "account" : "transfer",
    target: target?.S ?? "",
    command: JSON.parse(command?.S ?? "{}") as Message["command"],
  };
}

function keyOf(id: string): { shard: { S: string }; id: { S: string } } {
  const [byte = 0] = createHash("sha256").update(id).digest();
  return { shard: { S: String(byte % shards.length) }, id: { S: id } };
}
