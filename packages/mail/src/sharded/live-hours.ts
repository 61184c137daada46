import type { MailCall } from "../mail-context.ts";
import { knownCount } from "./count-messages.ts";
import type { Hour } from "./hours.ts";
import { placeOf } from "./message-id.ts";
import type { ShardedContext } from "./sharded-context.ts";

/** The hours that may hold messages older than that of an id, newest first. */
export async function liveHours(
  context: ShardedContext,
  before: string | undefined,
  call: MailCall,
): Promise<Hour[]> {
  const last = before === undefined ? undefined : placeOf(before)?.hour;
  const hours = await context.hours.read(call);
  return hours.filter((hour) => (last === undefined || hour.hour <= last) && knownCount(hour) !== 0);
}
