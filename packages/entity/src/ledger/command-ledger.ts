import { batchWrite, itemSize, maxItemBytes, queryPages, settlePut } from "@tablekeep/client";
import type { CallOptions, Clock, Item, Outcome, TransactWriteItem } from "@tablekeep/core";
import { isTablekeepError } from "@tablekeep/core";
import { createCodecs } from "@tablekeep/journal";
import { EntityError, type EntityPlace } from "../entity-error.ts";
import { type LedgerOptions, resolveLedgerOptions } from "./ledger-options.ts";

/** A command that has an id. */
export interface IdentifiedCommand {
  readonly place: EntityPlace;
  readonly persistenceId: string;
  readonly commandId: string;
  /** What tells it from another command of the same id. */
  readonly fingerprint: string;
}

/** Remembers the replies of commands. */
export interface CommandLedger {
  /** The first reply of a command; undefined if it is not remembered. Throws `ENTITY_COMMAND_ID_REUSED`. */
  find(command: IdentifiedCommand, call: CallOptions): Promise<{ readonly reply: unknown } | undefined>;
  /** The action that remembers a reply in the transaction of the events, unless one is remembered already. */
  action(command: IdentifiedCommand, reply: unknown): TransactWriteItem;
  /** Removes everything that is remembered of an id. May be called again after a failure. */
  forget(persistenceId: string, call: CallOptions): Promise<void>;
  /** Remembers the reply of a command without events. `conflict` if one is remembered already. */
  remember(command: IdentifiedCommand, reply: unknown, call: CallOptions): Promise<Outcome<unknown>>;
}

/** Opens the ledger. Sends nothing. */
export function commandLedger(options: LedgerOptions, clock: Clock): CommandLedger {
  const { port, table, keepMs } = resolveLedgerOptions(options);
  const codecs = createCodecs();
  const seconds = () => Math.floor(clock.now() / 1000);
  const keyOf = ({ persistenceId, commandId }: IdentifiedCommand): Item => ({
    pid: { S: persistenceId },
    command: { S: commandId },
  });
  const putOf = (command: IdentifiedCommand, reply: unknown) => {
    const ttl = { N: String(seconds() + Math.ceil(keepMs / 1000)) };
    const Item = {
      ...keyOf(command),
      print: { S: command.fingerprint },
      ttl,
      ...replyAttributes(command, reply),
    };
    return {
      TableName: table,
      Item: checked(command, Item),
      // Expired items may stand around for days.
      ConditionExpression: "attribute_not_exists(pid) OR #ttl < :now",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: { ":now": { N: String(seconds()) } },
    };
  };
  const replyAttributes = ({ place }: IdentifiedCommand, reply: unknown): Item => {
    if (reply === undefined) return {};
    try {
      const { serializerId, bytes } = codecs.encode(reply);
      return { reply: { B: bytes }, serializer: { N: String(serializerId) } };
    } catch (error) {
      throw replyInvalid(place, isTablekeepError(error) ? error.message : "cannot be stored", error);
    }
  };
  return {
    async find(command, call) {
      const { Item } = await port.getItem(
        { TableName: table, Key: keyOf(command), ConsistentRead: true },
        call,
      );
      if (Item === undefined || Number(Item["ttl"]?.N) < seconds()) return undefined;
      if (Item["print"]?.S !== command.fingerprint) throw idReused(command);
      const { reply, serializer } = Item;
      if (reply?.B === undefined) return { reply: undefined };
      return {
        reply: codecs.decode({
          serializerId: Number(serializer?.N),
          manifest: "",
          bytes: reply.B as Uint8Array,
        }),
      };
    },
    action: (command, reply) => ({ Put: putOf(command, reply) }),
    async forget(persistenceId, call) {
      const input = {
        TableName: table,
        KeyConditionExpression: "pid = :pid",
        ExpressionAttributeValues: { ":pid": { S: persistenceId } },
        ProjectionExpression: "pid, command",
        ConsistentRead: true,
      };
      for await (const { Items = [] } of queryPages(port, input, { ...call, clock })) {
        const entries = Items.map((key) => ({ table, delete: key }));
        await batchWrite(port, entries, { ...call, clock });
      }
    },
    remember: (command, reply, call) =>
      settlePut(port, putOf(command, reply), {
        keyNames: ["pid", "command"],
        writeIdAttribute: "wid",
        clock,
        signal: call.signal,
        deadlineMs: call.deadlineMs,
      }),
  };
}

function checked({ place }: IdentifiedCommand, item: Item): Item {
  // Room for the write id.
  const size = itemSize(item) + 64;
  if (size > maxItemBytes) throw replyInvalid(place, `is too large for the ledger: ${size} bytes`);
  return item;
}

function replyInvalid(place: EntityPlace, reason: string, cause?: unknown): EntityError {
  return new EntityError(
    "ENTITY_REPLY_INVALID",
    `${place.entity} ${place.id}: the reply ${reason}: give one that can be stored, or ask without a command id`,
    { ...place, reason },
    { cause },
  );
}

function idReused({ place, commandId }: IdentifiedCommand): EntityError {
  return new EntityError(
    "ENTITY_COMMAND_ID_REUSED",
    `${place.entity} ${place.id}: command id ${commandId} was used for another command: give each its own`,
    { ...place, commandId },
  );
}
