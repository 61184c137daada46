import type { MailContext } from "../../../model/mail-context.ts";
import type { Eras } from "../hours/eras.ts";
import type { HourIds } from "../hours/hour-ids.ts";
import type { Hour, HourDirectory, SettledCount } from "../hours/hours.ts";
import type { NewId } from "../items/mail-keys.ts";
import type { SignatureBlock } from "../signatures/signature-blocks.ts";
import type { IndexCache, SignaturePage } from "../signatures/signature-page.ts";
import type { StoredSignatures } from "../signatures/stored-signatures.ts";
import type { CommitBatcher } from "./commit-batcher.ts";

/** Dependencies of the parts of the sharded layout. */
export interface ShardedContext extends MailContext {
  readonly eras: Eras;
  readonly hours: HourDirectory;
  readonly ids: HourIds;
  /** Counts of messages that have settled, by era and hour. */
  readonly settledCounts: Map<string, SettledCount>;
  readonly newId: NewId;
  readonly newBody: () => string;
  /** Whether addresses of messages get index items. Signatures find the others. */
  readonly indexesAddresses: boolean;
  /** Signatures that were read one by one. */
  readonly signatures: IndexCache<SignaturePage>;
  /** Blocks of signatures that were read. */
  readonly blocks: IndexCache<SignatureBlock>;
  /** Signatures of messages that this instance has stored. */
  readonly stored: StoredSignatures;
  /** Called with the number of settled signatures of a shard that were read one by one. */
  readonly onSignaturesRead: (hour: Hour, count: number) => void;
  /** Called when a block that the directory announces is missing. */
  readonly onBlocksMissing: (hour: Hour) => void;
  readonly commitBatcher: CommitBatcher;
}
