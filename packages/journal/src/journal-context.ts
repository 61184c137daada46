import type { CallOptions, Clock, DynamoPort, Logger, Random } from "@tablekeep/core";
import type { Codecs } from "./codecs/codecs.ts";
import type { Layout } from "./layouts/layout.ts";
import type { MessageNames } from "./rows/message-format.ts";
import type { RowFormat } from "./rows/row-format.ts";

/** Whether a writer is only stopped by the next number being taken, or by its epoch too. */
export type Fencing = "optimistic" | "strict";

/** What every part of a journal works with. */
export interface JournalContext {
  readonly port: DynamoPort;
  readonly table: string;
  readonly layout: Layout;
  readonly codecs: Codecs;
  readonly fencing: Fencing;
  /** Which of the originals' item formats events are written in. */
  readonly format: RowFormat;
  readonly messageNames: MessageNames;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly deadlineMs: number;
  readonly maxItemBytes: number;
  readonly replayParallelism: number;
  readonly registryShards: number;
}

/** The deadline and signal of one call on a journal. */
export function callOptions({ deadlineMs }: JournalContext, options: CallOptions = {}): CallOptions {
  return { deadlineMs, ...options };
}
