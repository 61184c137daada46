import { regions } from "../catalog/storage-keys.ts";
import type { StorageKey } from "../storage/storage.ts";
import type { WriteTransaction } from "../write/write-queue.ts";
import type { Veil } from "./veil.ts";

/** A transaction whose changes to items and index entries are seen by readers only from a time on, asked for at its commit. */
export function covering(transaction: WriteTransaction, veil: Veil, end: () => number): WriteTransaction {
  const cover = (key: StorageKey) => {
    if (!key.startsWith(regions.items) && !key.startsWith(regions.indexes)) return;
    const before = transaction.get(key);
    transaction.onCommitted(() => veil.cover(key, before, end()));
  };
  return {
    ...transaction,
    put(key, value) {
      cover(key);
      transaction.put(key, value);
    },
    delete(key) {
      cover(key);
      transaction.delete(key);
    },
  };
}
