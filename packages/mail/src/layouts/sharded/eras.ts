import { waitWithin } from "@tablekeep/client";
import { isDynamoError, isTablekeepError } from "@tablekeep/core";
import { type MailCall, type MailContext, mailCall } from "../../model/mail-context.ts";
import { eraKey, eraName } from "./mail-keys.ts";

/**
 * The current era of a table. It is part of the keys of messages and index items: deleting all messages begins another era, and
 * what was stored in earlier ones is no longer found. A message belongs to the era that was read when its commit began, and
 * a reader sees the era that was read when its call began. Neither depends on a clock.
 */
export interface Eras {
  /** The newest era that this instance has read. */
  readonly known: string;
  /** Reads the current era, consistently, after this call. Calls of one turn share a request. */
  current(call: MailCall): Promise<string>;
  /** Records an era that was read. */
  seen(era: string): void;
  /** Begins another era. Returns false if another instance has ended this one. */
  end(era: string, call: MailCall): Promise<boolean>;
}

export function eraReader(context: MailContext): Eras {
  let known: string | undefined;
  let scheduled: Promise<string> | undefined;
  const seen = (era: string) => {
    const before = known;
    if (before !== undefined && era <= before) return;
    known = era;
    if (before !== undefined) context.onCleared(era);
  };
  const read = async (call: MailCall) => {
    const input = { TableName: context.table, Key: eraKey, ConsistentRead: true };
    const { Item } = await context.port.getItem(input, call);
    const era = eraOf(Item?.["number"]?.N);
    seen(era);
    return era;
  };
  return {
    get known() {
      return known ?? eraName(0);
    },
    seen,
    async current(call) {
      // Begins after the current turn. Several calls may wait for it: aborting one must not abort the others.
      scheduled ??= Promise.resolve().then(() => {
        scheduled = undefined;
        return read(mailCall(context));
      });
      return waitWithin(call, scheduled);
    },
    async end(era, call) {
      const ended = await endEra(context, era, call, read);
      if (ended) seen(eraName(Number(era) + 1));
      return ended;
    },
  };
}

/** The name of a stored era. */
export function eraOf(number: string | undefined): string {
  return eraName(Number(number ?? 0));
}

async function endEra(
  { port, table }: MailContext,
  era: string,
  call: MailCall,
  read: (call: MailCall) => Promise<string>,
): Promise<boolean> {
  const number = Number(era);
  const input = {
    TableName: table,
    Key: eraKey,
    UpdateExpression: "SET #number = :next",
    ConditionExpression: number === 0 ? "attribute_not_exists(#number)" : "#number = :era",
    ExpressionAttributeNames: { "#number": "number" },
    ExpressionAttributeValues: {
      ":next": { N: String(number + 1) },
      ...(number > 0 && { ":era": { N: String(number) } }),
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
  read: (call: MailCall) => Promise<string>,
  era: string,
  call: MailCall,
): Promise<boolean> {
  try {
    return (await read(call)) > era;
  } catch {
    return false;
  }
}

/**
 * Reads something of the current era with one round trip: for the era known so far, and again if that has ended. The answer is
 * as of a time after this call.
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
