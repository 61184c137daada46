import { invalid } from "../item/refuse.ts";

/** AWS: API_TransactWriteItems, API_TransactGetItems — the size of all items of a transaction together. */
const maxTransactionBytes = 4 * 1024 * 1024;

/** Throws if the items that a transaction writes are too large together. The wording is that of DynamoDB Local. */
export function checkWrittenBytes(bytes: number): void {
  if (bytes <= maxTransactionBytes) return;
  throw invalid(`Transaction payload size cannot exceed 4MB. Payload Size: ${bytes}`);
}

/**
 * Throws if the items that a transaction reads are too large together. The wording is that of DynamoDB Local, which counts
 * what a projection leaves of an item; AWS's documentation speaks of the size of the items, so whole items count here.
 */
export function checkReadBytes(bytes: number): void {
  if (bytes <= maxTransactionBytes) return;
  throw invalid(`Payload in response is too large.${bytes}`);
}
