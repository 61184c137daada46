import type { Database } from "../database.ts";
import { prefixEnd } from "../storage/storage.ts";
import type { WriteTransaction } from "../write/write-queue.ts";
import type { DropJob } from "./job.ts";
import { Portion } from "./portion.ts";

/** Removes some dead entries. Undefined once there are none left. */
export function dropEntries(
  database: Database,
  transaction: WriteTransaction,
  job: DropJob,
): DropJob | undefined {
  const portion = new Portion();
  for (const [at, prefix] of job.prefixes.entries()) {
    database.bareStorage.scan({ start: prefix, end: prefixEnd(prefix) }, (key, text) => {
      transaction.delete(key);
      return portion.take(text);
    });
    if (portion.isFull) return { ...job, prefixes: job.prefixes.slice(at) };
  }
  for (const key of job.keys) transaction.delete(key);
  return undefined;
}
