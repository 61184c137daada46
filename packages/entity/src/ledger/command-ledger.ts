import { createHash } from "node:crypto";
import { batchWrite, itemSize, maxItemBytes, queryPages, settlePut } from "@tablekeep/client";
import type { CallOptions, Clock, Item, Outcome, TransactWriteItem } from "@tablekeep/core";
import { isTablekeepError } from "@tablekeep/core";
import { createCodecs } from "@tablekeep/journal";
import { type EntityAddress, EntityError } from "../entity-error.ts";
import { type LedgerOptions, resolveLedgerOptions } from "./ledger-options.ts";

/** A command with an id. */
export interface IdentifiedCommand {
  readonly address: EntityAddress;
  readonly persistenceId: string;
  readonly commandId: string;
  /** Distinguishes it from another command with the same id. */
  readonly fingerprint: string;
}

/** Stores the replies of commands. */
export interface CommandLedger {
  /** Returns the first reply of a command, or undefined. Throws `ENTITY_COMMAND_ID_REUSED`. */
  find(command: IdentifiedCommand, call: CallOptions): Promise<{ readonly reply: unknown } | undefined>;
  /** Returns the action that stores a reply in the transaction of the events, unless one is already stored. */
  action(command: IdentifiedCommand, reply: unknown): TransactWriteItem;
  /** Removes all replies of an id. Call it again after a failure. */
  forget(persistenceId: string, call: CallOptions): Promise<void>;
  /** Stores the reply of a command without events. The outcome is `conflict` if one is already stored. */
  remember(command: IdentifiedCommand, reply: unknown, call: CallOptions): Promise<Outcome<unknown>>;
}

/** Opens the ledger without sending a request. */
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
      Item: checkSize(command, Item),
      // DynamoDB may take days to delete expired items.
      ConditionExpression: "attribute_not_exists(pid) OR #ttl < :now",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: { ":now": { N: String(seconds()) } },
    };
  };
  const replyAttributes = ({ address }: IdentifiedCommand, reply: unknown): Item => {
    if (reply === undefined) return {};
    try {
      const { serializerId, bytes } = codecs.encode(reply);
      return { reply: { B: bytes }, serializer: { N: String(serializerId) } };
    } catch (error) {
      throw replyInvalid(address, isTablekeepError(error) ? error.message : "cannot be stored", error);
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

function checkSize({ address }: IdentifiedCommand, item: Item): Item {
  // Adds space for the write id.
  const size = itemSize(item) + 64;
  if (size > maxItemBytes) throw replyInvalid(address, `is too large for the ledger: ${size} bytes`);
  return item;
}

function replyInvalid(address: EntityAddress, reason: string, cause?: unknown): EntityError {
  return new EntityError(
    "ENTITY_REPLY_INVALID",
    `${address.entity} ${address.id}: the reply ${reason} (return one that can be stored, or ask without a command id)`,
    { ...address, reason },
    { cause },
  );
}

function idReused({ address, commandId }: IdentifiedCommand): EntityError {
  return new EntityError(
    "ENTITY_COMMAND_ID_REUSED",
    `${address.entity} ${address.id}: command id ${commandId} was already used for another command (use a new id for each command)`,
    { ...address, commandId },
  );
}

/** Returns a short string that distinguishes commands: 16 bytes of the SHA-256 of the canonical JSON. */
export function fingerprint(command: unknown): string {
  return createHash("sha256").update(canonical(command)).digest().subarray(0, 16).toString("base64url");
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner === "bigint") return `${inner}n`;
      // JSON would lose these: NaN and Infinity become null, maps and sets an empty object.
      if (typeof inner === "number" && !Number.isFinite(inner)) return { number: String(inner) };
      if (inner instanceof Map) return { map: [...inner] };
      if (inner instanceof Set) return { set: [...inner] };
      if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
      return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? "undefined"
  );
}
