import { createHash } from "node:crypto";
import type { TransactWriteItem } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";

/** Where an id stands in the registry: spread over shards by its hash, so that no key gets hot. */
export interface RegistryPlace {
  readonly shard: number;
  readonly place: number;
}

/** The place of an id; `probe` counts up from 0 while another id has it. */
export function registryPlace(shards: number, persistenceId: string, probe: number): RegistryPlace {
  const hash = createHash("sha256").update(persistenceId).digest();
  // 52 bits: a number that DynamoDB and JavaScript both keep exactly, with room to count up.
  return {
    shard: hash.readUInt32BE(0) % shards,
    place: hash.readUIntBE(4, 6) * 16 + (hash.readUInt8(10) >> 4) + probe,
  };
}

/** The row that makes an id known; none if the layout keeps no registry. Refused only if another id has the place. */
export function registryPut(
  { table, layout, registryShards }: JournalContext,
  persistenceId: string,
  probe: number,
): TransactWriteItem["Put"] {
  const { shard, place } = registryPlace(registryShards, persistenceId, probe);
  const key = layout.registryKey?.(shard, place);
  if (key === undefined) return undefined;
  return {
    TableName: table,
    Item: { ...key, persistence_id: { S: persistenceId } },
    ConditionExpression: "attribute_not_exists(persistence_id) OR persistence_id = :id",
    ExpressionAttributeValues: { ":id": { S: persistenceId } },
  };
}
