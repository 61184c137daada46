import { createHash } from "node:crypto";

/** How many recent hashes are remembered: writers and readers come back to the same partitions. */
const rememberedHashes = 4096;
const longestRemembered = 256;
const hashBytes = 16;

const remembered = new Map<string, string>();

/**
 * Where a partition lies: 16 bytes of the key's SHA-256. DynamoDB's partition keys may be longer than a storage key,
 * and a scan in hash order is what DynamoDB gives. Two keys with the same 128 bits would share items; nothing checks for
 * that, because it does not happen by chance.
 */
export function partitionHash(partitionKey: string): string {
  const known = remembered.get(partitionKey);
  if (known !== undefined) return known;
  const hash = createHash("sha256").update(partitionKey, "latin1").digest("binary").slice(0, hashBytes);
  if (partitionKey.length > longestRemembered) return hash;
  if (remembered.size >= rememberedHashes) remembered.clear();
  remembered.set(partitionKey, hash);
  return hash;
}
