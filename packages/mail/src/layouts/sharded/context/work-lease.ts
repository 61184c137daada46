import { isDynamoError, type Key } from "@tablekeep/core";
import type { MailCall, MailContext } from "../../../model/mail-context.ts";
import { updateIf } from "../../../model/update-if.ts";

/** Background work that one instance at a time does. */
export interface Lease {
  /** The item of the lease. */
  readonly key: Key;
  /** The name of this instance. */
  readonly name: string;
}

/** An instance that has not renewed its lease for this long has stopped. */
export const leaseMs = 60_000;

/** Claims the work, or keeps it; false if another instance has it. At worst, clocks that differ lead to duplicate work. */
export async function claim(
  { port, table, clock }: MailContext,
  { key, name }: Lease,
  call: MailCall,
): Promise<boolean> {
  const now = Math.floor(clock.now());
  const input = {
    TableName: table,
    Key: key,
    UpdateExpression: "SET sweeper = :name, untilMs = :until, expires = :expires",
    ConditionExpression: "attribute_not_exists(sweeper) OR sweeper = :name OR untilMs < :now",
    ExpressionAttributeValues: {
      ":name": { S: name },
      ":until": { N: String(now + leaseMs) },
      ":expires": { N: String(Math.floor(now / 1000) + 86_400) },
      ":now": { N: String(now) },
    },
  };
  return updateIf(port, input, call);
}

/** Ends a lease of this instance. */
export async function release(
  { port, table }: MailContext,
  { key, name }: Lease,
  call: MailCall,
): Promise<void> {
  const input = {
    TableName: table,
    Key: key,
    ConditionExpression: "sweeper = :name",
    ExpressionAttributeValues: { ":name": { S: name } },
  };
  try {
    await port.deleteItem(input, { ...call, idempotent: true });
  } catch (error) {
    if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
  }
}
