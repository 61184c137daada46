import { waitWithin } from "@tablekeep/client";
import { type Item, isDynamoError, isTablekeepError } from "@tablekeep/core";
import { type MailCall, type MailContext, mailCall } from "../../../model/mail-context.ts";
import { MailError } from "../../../model/mail-error.ts";
import { eraKey, eraName } from "../items/mail-keys.ts";
import { afterEra, type EraLife, eraLife } from "./era-life.ts";

/**
 * The current era of a table. It is part of the keys of messages and index items: deleting all messages begins another era, and
 * what was stored in earlier ones is no longer found. A message belongs to the era that was read when its commit began, and
 * a reader sees the era that was read when its call began. Neither depends on a clock.
 */
export interface Eras {
  /** The newest era that this instance has read. */
  readonly known: string;
  /** Whether this instance has read an era. A named inbox has none before its first message, and after the last one has expired. */
  readonly isKnown: boolean;
  /** Reads the current era, consistently, after this call. Calls of one turn share a request. */
  current(call: MailCall): Promise<string>;
  /** Does the same for a message that is about to be committed: the era is stored for longer than the message. */
  forMessage(call: MailCall): Promise<string>;
  /** Records an era that was read; undefined if none is stored. Returns the current one. */
  seen(number: string | undefined): string;
  /** Begins another era. Returns false if another instance has ended this one. */
  end(era: string, call: MailCall): Promise<boolean>;
}

/** The maximum number of times that an era is read again because it has ended or expired meanwhile. */
const maxAttempts = 5;

export function eraReader(context: MailContext): Eras {
  const life = eraLife(context);
  let known: string | undefined;
  let scheduled: Promise<Item | undefined> | undefined;
  const seen = (number: string | undefined): string => {
    const before = known;
    // The era of a named inbox expires with its messages, and is not used again: items stored in it stay invisible.
    if (number === undefined && life !== undefined) return before ?? eraName(0);
    const era = eraName(Number(number ?? 0));
    if (before !== undefined && era <= before) return era;
    known = era;
    if (before !== undefined) context.onCleared(era);
    return era;
  };
  const read = async (call: MailCall) => {
    const input = { TableName: context.table, Key: eraKey, ConsistentRead: true };
    const { Item } = await context.port.getItem(input, call);
    seen(Item?.["number"]?.N);
    return Item;
  };
  const readShared = (call: MailCall) => {
    // Begins after the current turn. Several calls may wait for it: aborting one must not abort the others.
    scheduled ??= Promise.resolve().then(() => {
      scheduled = undefined;
      return read(mailCall(context));
    });
    // An embedded engine reads within this turn of the event loop: there is nothing to end early.
    return context.port.atomicBatches ? scheduled : waitWithin(call, scheduled);
  };
  const current = async (call: MailCall) => seen((await readShared(call))?.["number"]?.N);
  return {
    get known() {
      return known ?? eraName(0);
    },
    get isKnown() {
      return known !== undefined;
    },
    seen,
    current,
    async forMessage(call) {
      if (life === undefined) return current(call);
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const item = await readShared(call);
        const number = item?.["number"]?.N ?? (await life.begin(known ?? eraName(0), call));
        const isStored = item === undefined || (await life.extend(item, call));
        if (number !== undefined && isStored) {
          seen(number);
          return eraName(Number(number));
        }
      }
      const message = "all messages were deleted again and again while this one was stored: store it again";
      throw new MailError("MAIL_STORE_UNAVAILABLE", message, {});
    },
    async end(era, call) {
      const next = afterEra(era, life);
      const ended = await endEra(context, { era, next, life }, call, read);
      if (ended) seen(String(next));
      return ended;
    },
  };
}

interface EraEnd {
  readonly era: string;
  readonly next: number;
  readonly life: EraLife | undefined;
}

async function endEra(
  { port, table }: MailContext,
  { era, next, life }: EraEnd,
  call: MailCall,
  read: (call: MailCall) => Promise<Item | undefined>,
): Promise<boolean> {
  const number = Number(era);
  const input = {
    TableName: table,
    Key: eraKey,
    UpdateExpression: life === undefined ? "SET #number = :next" : "SET #number = :next, expires = :expires",
    ConditionExpression: number === 0 ? "attribute_not_exists(#number)" : "#number = :era",
    ExpressionAttributeNames: { "#number": "number" },
    ExpressionAttributeValues: {
      ":next": { N: String(next) },
      ...(number > 0 && { ":era": { N: String(number) } }),
      ...(life !== undefined && { ":expires": { N: String(life.emptyUntil(next)) } }),
    },
  };
  try {
    await port.updateItem(input, { ...call, idempotent: false });
    return true;
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
    // The response was lost. If the era has ended, this call or another one has ended it meanwhile.
    if (isTablekeepError(error) && error.ambiguous && (await hasEnded(read, era, call))) return true;
    throw error;
  }
}

async function hasEnded(
  read: (call: MailCall) => Promise<Item | undefined>,
  era: string,
  call: MailCall,
): Promise<boolean> {
  try {
    return Number((await read(call))?.["number"]?.N ?? 0) > Number(era);
  } catch {
    return false;
  }
}

/**
 * Reads something of the current era with one round trip: for the era known so far, and again if that has ended. The result
 * reflects a time after this call.
 */
export async function inCurrentEra<Result>(
  eras: Eras,
  call: MailCall,
  read: (era: string) => Promise<Result>,
): Promise<Result> {
  const guess = eras.known;
  const [era, result] = await Promise.all([eras.current(call), read(guess)]);
  return era === guess ? result : read(era);
}
