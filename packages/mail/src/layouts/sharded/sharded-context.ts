import type { MailContext } from "../../model/mail-context.ts";
import type { CommitBatcher } from "./commit-batcher.ts";
import type { HourDirectory } from "./hours.ts";
import type { NewId } from "./keys.ts";
import type { SignatureCache } from "./signatures.ts";

/** What the parts of the sharded layout depend on. */
export interface ShardedContext extends MailContext {
  readonly hours: HourDirectory;
  readonly newId: NewId;
  readonly signatures: SignatureCache;
  readonly commitBatcher: CommitBatcher;
}
