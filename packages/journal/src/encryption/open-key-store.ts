import { randomBytes } from "node:crypto";
import { type TableSpec, waitWithin } from "@tablekeep/client";
import {
  type CallOptions,
  type Clock,
  checkPort,
  type DynamoPort,
  type Item,
  isDynamoError,
  isTablekeepError,
  type OptionChecks,
  optionCheck,
  type Random,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import { checkTime, sendIdempotent, startRetries } from "../context/calls.ts";
import { type Call, callOptions } from "../context/journal-context.ts";
import { checkOptions, optionInvalid } from "../errors/journal-error.ts";
import { KeyCache } from "./key-cache.ts";
import { keyUnavailable, keyUnreadable } from "./key-errors.ts";
import type { KeyStore, SubjectKey } from "./key-store.ts";
import { type KeyWrapping, keyLength, keyWrapping, type WrappingOptions } from "./key-wrapping.ts";

/** Options of `openKeyStore`. */
export interface KeyStoreOptions extends WrappingOptions {
  /** The table's name. @default "keys" */
  readonly table?: string;
  /**
   * Milliseconds that a key is used after it was read. For so long after `forget`, other processes may still decrypt, and still
   * append events that replay as forgotten. @default 60,000
   */
  readonly cacheMs?: number;
  /** Maximum number of keys in memory. @default 10,000 */
  readonly maxCached?: number;
  /** Deadline for reading, creating or forgetting a key, in milliseconds. @default 10,000 */
  readonly deadlineMs?: number;
  /** Clock for times, waits and the life of cached keys. @default the system clock */
  readonly clock?: Clock;
  /** Random source for the jitter of waits; keys are always from the system's. @default the system's */
  readonly random?: Random;
}

const checks: OptionChecks<KeyStoreOptions> = {
  table: optionCheck.nonEmptyString,
  cacheMs: optionCheck.integer(0),
  maxCached: optionCheck.integer(1),
  deadlineMs: optionCheck.milliseconds,
  clock: optionCheck.clock,
  random: optionCheck.callback,
  masterKey: (value) =>
    value instanceof Uint8Array && value.length === keyLength ? undefined : `must be ${keyLength} bytes`,
  wrap: optionCheck.callback,
  unwrap: optionCheck.callback,
};

/** The attributes of a key's item. */
const names = {
  subject: "subject",
  key: "key",
  wrapping: "wrap",
  created: "created",
  forgotten: "forgotten",
} as const;

const defaultTable = "keys";

/**
 * The specification of a key table, for `ensureTable`, `checkTable` and the printers. It must not have time to live: the
 * item of a forgotten subject is what proves that it was forgotten.
 *
 * @example
 * await ensureTable(port, keyTableSpec("keys"));
 */
export function keyTableSpec(name: string = defaultTable): TableSpec {
  return { name, partitionKey: { name: names.subject, type: "S" } };
}

/** The parts of an open key store. */
interface KeyContext {
  readonly port: DynamoPort;
  readonly table: string;
  readonly wrapping: KeyWrapping;
  readonly clock: Clock;
  readonly random: Random;
  readonly deadlineMs: number;
}

/**
 * Opens the keys of subjects in a DynamoDB table. Sends nothing: the table is that of {@link keyTableSpec} and must be there when
 * it is first used.
 *
 * @example
 * const keys = openKeyStore(port, { table: "keys", masterKey: Buffer.from(secret, "base64") });
 * const journal = await openJournal(port, { codecs: encryptedCodecs({ keys, subjectOf }) });
 * await keys.forget("customer-17");
 */
export function openKeyStore(port: DynamoPort, options: KeyStoreOptions = {}): KeyStore {
  checkPort(port, optionInvalid);
  checkOptions(options, checks);
  const { table = defaultTable, clock = systemClock, random = systemRandom, deadlineMs = 10_000 } = options;
  const context = { port, table, wrapping: keyWrapping(options), clock, random, deadlineMs };
  const cache = new KeyCache(clock, options.cacheMs ?? 60_000, options.maxCached ?? 10_000);
  // Callers that need the same key at the same time share one request.
  const shared = <Found extends SubjectKey | undefined>(
    underWay: Map<string, Promise<Found>>,
    subject: string,
    read: (call: Call) => Promise<Found>,
  ): Promise<Found> => {
    const before = underWay.get(subject);
    if (before !== undefined) return before;
    const readAt = cache.time();
    const call = callOptions(context);
    // A `wrap` or `unwrap` that never ends must not hold back every later call for the subject.
    const reading = waitWithin({ clock, deadlineMs: call.deadlineMs }, read(call))
      .then((found) => (found === undefined ? found : (cache.set(subject, found, readAt) as Found)))
      .catch((error: unknown) => Promise.reject(keyUnavailable(subject, error)))
      .finally(() => underWay.delete(subject));
    underWay.set(subject, reading);
    return reading;
  };
  const reads = new Map<string, Promise<SubjectKey | undefined>>();
  const creations = new Map<string, Promise<SubjectKey>>();
  return {
    get(subject) {
      checkSubject(subject);
      return cache.get(subject) ?? shared(reads, subject, (call) => readKey(context, subject, call));
    },
    getOrCreate(subject) {
      checkSubject(subject);
      return cache.get(subject) ?? shared(creations, subject, (call) => readOrCreate(context, subject, call));
    },
    async forget(subject) {
      checkSubject(subject);
      await putTombstone(context, subject);
      cache.set(subject, "forgotten", cache.time());
    },
  };
}

/** AWS: a partition key has 2,048 bytes at most. */
const maxSubjectBytes = 2048;

/** The problem with the name of a subject; undefined if there is none. */
export function subjectProblem(subject: unknown): string | undefined {
  const reason = optionCheck.id(subject);
  if (reason !== undefined) return reason;
  return Buffer.byteLength(subject as string) > maxSubjectBytes
    ? `must not be longer than ${maxSubjectBytes} bytes`
    : undefined;
}

function checkSubject(subject: unknown): void {
  const reason = subjectProblem(subject);
  if (reason !== undefined) throw optionInvalid("subject", reason);
}

async function readKey(
  { port, table, wrapping }: KeyContext,
  subject: string,
  call: CallOptions,
): Promise<SubjectKey | undefined> {
  const Key = { [names.subject]: { S: subject } };
  const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true }, call);
  if (Item === undefined) return undefined;
  if (Item[names.forgotten] !== undefined) return "forgotten";
  const stored = Item[names.key]?.B;
  if (stored === undefined) throw keyUnreadable(subject, "is missing in its item");
  return wrapping.unwrap(stored, Item[names.wrapping]?.S ?? "none", subject);
}

/**
 * Returns the key of a subject, or creates it. Only a key that is certainly stored is returned: after a lost response, and if another
 * process was first, it is read.
 */
async function readOrCreate(context: KeyContext, subject: string, call: Call): Promise<SubjectKey> {
  const { port, table, wrapping, clock } = context;
  const before = await readKey(context, subject, call);
  if (before !== undefined) return before;
  const key = randomBytes(keyLength);
  const item: Item = {
    [names.subject]: { S: subject },
    [names.key]: { B: await wrapping.wrap(key, subject) },
    [names.wrapping]: { S: wrapping.name },
    [names.created]: { N: String(Math.floor(clock.now())) },
  };
  const ConditionExpression = `attribute_not_exists(${names.subject})`;
  const retries = startRetries(context, call);
  for (;;) {
    checkTime(call);
    try {
      await port.putItem({ TableName: table, Item: item, ConditionExpression }, retries.callOptions());
      retries.succeeded();
      return key;
    } catch (error) {
      if (!isTablekeepError(error)) throw error;
      const isThere = isDynamoError(error, "ConditionalCheckFailedException");
      const mayPass = error.ambiguous || error.retryable;
      if (!isThere && !(mayPass && (await retries.wait(error)))) throw retries.endedBy(error);
      const found = await readKey(context, subject, call);
      if (found !== undefined) return found;
    }
  }
}

/** Replaces the key by the time at which it was forgotten. The item is never removed, so no key can be put in its place. */
async function putTombstone(context: KeyContext, subject: string): Promise<void> {
  const { port, table, clock } = context;
  const input = {
    TableName: table,
    Key: { [names.subject]: { S: subject } },
    UpdateExpression: "SET #forgotten = if_not_exists(#forgotten, :now) REMOVE #key, #wrap",
    ExpressionAttributeNames: { "#forgotten": names.forgotten, "#key": names.key, "#wrap": names.wrapping },
    ExpressionAttributeValues: { ":now": { N: String(Math.floor(clock.now())) } },
  };
  await sendIdempotent(context, callOptions(context), (call) => port.updateItem(input, call));
}
