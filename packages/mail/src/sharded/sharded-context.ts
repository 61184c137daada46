import type { MailContext } from "../mail-context.ts";
import type { Departures } from "./departures.ts";
import type { HourDirectory } from "./hours.ts";
import type { NewId } from "./message-id.ts";
import type { SignatureCache } from "./signature-cache.ts";

/** What the parts of the sharded layout work with. */
export interface ShardedContext extends MailContext {
  readonly hours: HourDirectory;
  readonly newId: NewId;
  readonly signatures: SignatureCache;
  readonly departures: Departures;
}
