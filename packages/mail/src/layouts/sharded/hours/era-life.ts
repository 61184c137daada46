import type { Item, UpdateItemInput } from "@tablekeep/core";
import { defaultInbox } from "../../../model/inbox-name.ts";
import { expiryOf, type MailCall, type MailContext, sharedNow } from "../../../model/mail-context.ts";
import { updateIf } from "../../../model/update-if.ts";
import { eraKey } from "../items/mail-keys.ts";

/**
 * How long the era of a named inbox is stored: as long as messages, and for a day after all were deleted. Then nothing of the inbox is left.
 * No era is used twice: the number of the first one is that of the current minute, and the item stays until the minute with its
 * number has passed. So a message that another instance stores late, in an era that has ended, is never seen.
 */
export interface EraLife {
  /** Stores the first era, above `known`. Returns its number; undefined if another instance was first. */
  begin(known: string, call: MailCall): Promise<string | undefined>;
  /** Makes sure that the era is stored for longer than a message that arrives now. Returns false if it has ended or expired. */
  extend(item: Item, call: MailCall): Promise<boolean>;
  /** The second since 1970 at which an era without messages expires. */
  emptyUntil(number: number): number;
  /** The number of an era that begins now. */
  numberNow(): number;
}

const daySeconds = 86_400;

/** The era is stored this much longer than messages: clocks differ. */
const marginSeconds = 2 * daySeconds;

/** Eras have 8 digits. */
const maxNumber = 99_000_000;

/** Undefined for the default inbox, whose era does not expire. */
export function eraLife(context: MailContext): EraLife | undefined {
  if (context.inbox === defaultInbox) return undefined;
  const now = () => Math.floor(sharedNow(context) / 1000);
  const numberNow = () => Math.min(maxNumber, Math.floor(now() / 60));
  const emptyUntil = (number: number) => Math.max(now(), (number + 1) * 60) + daySeconds;
  const needed = () => expiryOf(context, sharedNow(context)) + marginSeconds;
  /** Longer than needed, so that it is extended once a day. */
  const fullUntil = (number: number) => Math.max(needed() + daySeconds, emptyUntil(number));
  return {
    numberNow,
    emptyUntil,
    async begin(known, call) {
      const number = Math.max(numberNow(), Number(known) + 1);
      const isFirst = await updateEra(
        context,
        {
          UpdateExpression: "SET #number = :number, expires = :expires",
          ConditionExpression: "attribute_not_exists(#number)",
          ExpressionAttributeValues: values(number, fullUntil(number)),
        },
        call,
      );
      return isFirst ? String(number) : undefined;
    },
    async extend(item, call) {
      const expires = item["expires"]?.N;
      if (expires === undefined || Number(expires) >= needed()) return true;
      const number = Number(item["number"]?.N);
      return updateEra(
        context,
        {
          UpdateExpression: "SET expires = :expires",
          ConditionExpression: "#number = :number",
          ExpressionAttributeValues: values(number, fullUntil(number)),
        },
        call,
      );
    },
  };
}

/** The number of the era after one. */
export function afterEra(era: string, life: EraLife | undefined): number {
  return Math.max(Number(era) + 1, life?.numberNow() ?? 0);
}

function values(number: number, expires: number) {
  return { ":number": { N: String(number) }, ":expires": { N: String(expires) } };
}

function updateEra(
  { port, table }: MailContext,
  update: Pick<UpdateItemInput, "UpdateExpression" | "ExpressionAttributeValues"> & {
    readonly ConditionExpression: string;
  },
  call: MailCall,
): Promise<boolean> {
  const names = { "#number": "number" };
  return updateIf(port, { TableName: table, Key: eraKey, ExpressionAttributeNames: names, ...update }, call);
}
