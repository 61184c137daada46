import { createHash } from "node:crypto";
import { answerJson } from "../answer/answer.ts";
import { regions } from "../catalog/storage-keys.ts";
import { secondsKey } from "../change/expiry-entries.ts";
import type { Database } from "../database/database.ts";
import { keyAfter, type StorageKey } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { dynamoError } from "../values/dynamo-errors.ts";
import { utf8Bytes } from "../values/key-bytes.ts";

/** AWS: API_TransactWriteItems — a token is valid for ten minutes, not counting the second in which they begin. */
const rememberedSeconds = 601;
/** Each new token deletes this many expired ones, so that they never accumulate. */
const deletedPerToken = 4;

const tokens = `${regions.tokens}t`;
const expiries = `${regions.tokens}e`;

interface TokenRecord {
  readonly payload: string;
  readonly expiresAt: number;
}

/**
 * Stores a transaction's token in the transaction itself. Returns true if the same request was carried out before, so
 * that nothing is left to do. Throws if the token came with another request.
 */
export function isRepeated(
  database: Database,
  transaction: WriteTransaction,
  clientToken: string,
  request: unknown,
): boolean {
  const token = utf8Bytes(clientToken);
  const now = Math.floor(database.clock.now() / 1000);
  // Not JSON.stringify, which formats bytes and a Buffer of them differently, and takes seconds for a few megabytes.
  const payload = createHash("sha256").update(answerJson(request)).digest("base64");
  const known = transaction.get(tokens + token);
  const record = known === undefined ? undefined : (JSON.parse(known) as TokenRecord);
  if (record !== undefined && record.expiresAt > now) {
    if (record.payload === payload) return true;
    throw dynamoError(
      "IdempotentParameterMismatchException",
      "The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical",
    );
  }
  const expiresAt = now + rememberedSeconds;
  transaction.put(tokens + token, JSON.stringify({ payload, expiresAt } satisfies TokenRecord));
  transaction.put(expiries + secondsKey(expiresAt) + token, "");
  deleteExpired(database, transaction, now);
  return false;
}

/** Where the last deletion ended: transactions that share a commit see the same expired entries, and take turns. */
const lastDeleted = new WeakMap<Database, StorageKey>();

function deleteExpired(database: Database, transaction: WriteTransaction, now: number): void {
  const end = expiries + secondsKey(now);
  const last = lastDeleted.get(database);
  let cleared = 0;
  // Starts over at the end: a failed commit leaves entries behind.
  lastDeleted.delete(database);
  database.storage.scan({ start: last === undefined ? expiries : keyAfter(last), end }, (key) => {
    const token = key.slice(end.length);
    // The token may have been used again, and is then still valid.
    const text = transaction.get(tokens + token);
    if (text !== undefined && (JSON.parse(text) as TokenRecord).expiresAt <= now)
      transaction.delete(tokens + token);
    transaction.delete(key);
    if (++cleared < deletedPerToken) return true;
    lastDeleted.set(database, key);
    return false;
  });
}
