import { createHash } from "node:crypto";
import { answerJson } from "../answer/answer.ts";
import { regions } from "../catalog/storage-keys.ts";
import { secondsKey } from "../change/expiry-entries.ts";
import type { Database } from "../database/database.ts";
import { keyAfter, type StorageKey } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { refusal } from "../values/dynamo-errors.ts";
import { utf8Bytes } from "../values/key-bytes.ts";

/** AWS: API_TransactWriteItems — a token is remembered for ten minutes. The second in which they begin does not count. */
const rememberedSeconds = 601;
/** Each new token clears away this many old ones, so that they never pile up. */
const clearedAtOnce = 4;

const tokens = `${regions.tokens}t`;
const expiries = `${regions.tokens}e`;

interface TokenRecord {
  readonly payload: string;
  readonly expiresAt: number;
}

/**
 * Remembers a transaction's token in the transaction itself. True if the same request was carried out before: then
 * there is nothing left to do. The same token with another request is refused.
 */
export function isRepeated(
  database: Database,
  transaction: WriteTransaction,
  clientToken: string,
  request: unknown,
): boolean {
  const token = utf8Bytes(clientToken);
  const now = Math.floor(database.clock.now() / 1000);
  // Not by JSON.stringify: it has one text for bytes and another for a Buffer of them, and takes seconds for a few megabytes.
  const payload = createHash("sha256").update(answerJson(request)).digest("base64");
  const known = transaction.get(tokens + token);
  const record = known === undefined ? undefined : (JSON.parse(known) as TokenRecord);
  if (record !== undefined && record.expiresAt > now) {
    if (record.payload === payload) return true;
    throw refusal(
      "IdempotentParameterMismatchException",
      "The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical",
    );
  }
  const expiresAt = now + rememberedSeconds;
  transaction.put(tokens + token, JSON.stringify({ payload, expiresAt } satisfies TokenRecord));
  transaction.put(expiries + secondsKey(expiresAt) + token, "");
  clearOld(database, transaction, now);
  return false;
}

/** Where the last clearing ended: transactions that share a commit see the same old entries, and take turns at them. */
const clearedTo = new WeakMap<Database, StorageKey>();

function clearOld(database: Database, transaction: WriteTransaction, now: number): void {
  const end = expiries + secondsKey(now);
  const last = clearedTo.get(database);
  let cleared = 0;
  // From the beginning once the end is reached: a commit that failed leaves entries behind.
  clearedTo.delete(database);
  database.storage.scan({ start: last === undefined ? expiries : keyAfter(last), end }, (key) => {
    const token = key.slice(end.length);
    // The token may have been used anew since, and then lives on.
    const text = transaction.get(tokens + token);
    if (text !== undefined && (JSON.parse(text) as TokenRecord).expiresAt <= now)
      transaction.delete(tokens + token);
    transaction.delete(key);
    if (++cleared < clearedAtOnce) return true;
    clearedTo.set(database, key);
    return false;
  });
}
