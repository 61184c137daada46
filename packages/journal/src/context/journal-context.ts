import { waitWithin } from "@tablekeep/client";
import type {
  CallOptions,
  Clock,
  DynamoPort,
  Logger,
  Outcome,
  Random,
  StandardSchema,
} from "@tablekeep/core";
import type { AkkaLine } from "../codecs/akka-line.ts";
import type { Codecs } from "../codecs/codec.ts";
import type { Layout } from "../layouts/layout.ts";
import type { MessageNames } from "../rows/message-format.ts";
import type { RowFormat } from "../rows/row-format.ts";
import { checkPersistenceId } from "./call-checks.ts";
import type { Fencing, WrittenRange } from "./journal.ts";

/** The appends that one journal object has in flight, by id: reads of an id's position wait for them. */
export interface WritesUnderWay {
  /** Records an append until it ends. */
  add(persistenceId: string, append: Promise<unknown>): void;
  /** Resolves when the appends to the id that are in flight now have ended, with whatever outcome. */
  ended(persistenceId: string, options: CallOptions): Promise<void>;
}

/** Creates an empty record. */
export function writesUnderWay(clock: Clock): WritesUnderWay {
  const byId = new Map<string, Set<Promise<unknown>>>();
  return {
    add(persistenceId, append) {
      const appends = byId.get(persistenceId) ?? new Set();
      byId.set(persistenceId, appends.add(append));
      const forget = () => {
        appends.delete(append);
        if (appends.size === 0 && byId.get(persistenceId) === appends) byId.delete(persistenceId);
      };
      append.then(forget, forget);
    },
    async ended(persistenceId, options) {
      const appends = byId.get(persistenceId);
      if (appends !== undefined) await waitWithin({ clock, ...options }, Promise.allSettled([...appends]));
    },
  };
}

/**
 * The Akka version that also uses the journal's table. `unknown`: one does, or may, and its version is unknown.
 */
export type AkkaUse = "none" | AkkaLine | "unknown";

/** Counts the appends of writers, and merges their items in the background. */
export interface BackgroundCompaction {
  /** Returns a function that is called with the outcomes of the appends of one writer. */
  counter(persistenceId: string): (outcomes: readonly Outcome<WrittenRange>[]) => void;
  /** Resolves once nothing is being merged. */
  idle(): Promise<void>;
  /** Stops merging, and resolves once the request in flight has ended. */
  close(): Promise<void>;
}

/** The context shared by all parts of a journal. */
export interface JournalContext {
  readonly port: DynamoPort;
  readonly table: string;
  readonly layout: Layout;
  readonly journalName: string;
  readonly codecs: Codecs;
  /** The schema of payloads, if there is one. */
  readonly events: StandardSchema<unknown> | undefined;
  readonly fencing: Fencing;
  readonly akka: AkkaUse;
  /** Whether the registry has every id: no other program writes to the journal, or did before it was opened. */
  readonly hasAllRegistered: boolean;
  /** The item format of new events. */
  readonly format: RowFormat;
  readonly messageNames: MessageNames;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly deadlineMs: number;
  /** The largest item, in bytes as the original counts them. */
  readonly maxItemSize: number;
  readonly maxBatchGet: number;
  readonly maxBatchWrite: number;
  readonly persistenceIdsIndex: string;
  readonly replayParallelism: number;
  readonly highDistrust: boolean;
  readonly registryShards: number;
  /** The appends of this journal object that have not ended. */
  readonly writesUnderWay: WritesUnderWay;
  /** Absent unless the journal was opened with `compactAfter`. */
  readonly compaction?: BackgroundCompaction;
}

/** Whether an Akka plugin may take over any id of this journal: then deletes leave the table readable for it. */
export function isShared({ akka }: Pick<JournalContext, "akka">): boolean {
  return akka !== "none";
}

/** Rejects an id that cannot be a key, or that would share its keys with another. */
export function checkId({ layout }: Pick<JournalContext, "layout">, persistenceId: unknown): void {
  const [partitionKey] = layout.keyNames;
  // No other key of an id is longer than that of its last possible event.
  checkPersistenceId(
    persistenceId,
    (id) => layout.eventKey(id, Number.MAX_SAFE_INTEGER)[partitionKey]?.S ?? "",
  );
}

/** The options of a call. */
export interface Call extends CallOptions {
  /**
   * Whether the deadline of the whole call has passed: then nothing more is started. Absent if only requests have a
   * deadline.
   */
  readonly isOver?: boolean;
}

/**
 * Returns the signal and deadline of one call on a journal. The deadline applies to the whole call: `deadlineMs` is
 * always the remaining time.
 */
export function callOptions(
  { clock, deadlineMs: byDefault }: Pick<JournalContext, "clock" | "deadlineMs">,
  { signal, deadlineMs }: CallOptions = {},
): Call {
  const endsAt = clock.monotonic() + (deadlineMs ?? byDefault);
  return {
    signal,
    get deadlineMs() {
      return Math.max(1, endsAt - clock.monotonic());
    },
    get isOver() {
      return clock.monotonic() >= endsAt;
    },
  };
}

/**
 * The same for work that may read an id's whole history. A deadline of the caller applies to the whole call, the
 * journal's own to each request.
 */
export function longCallOptions(context: JournalContext, options: CallOptions = {}): CallOptions {
  return options.deadlineMs === undefined ? requestOptions(context, options) : callOptions(context, options);
}

/** For streams, whose consumer may be slow: the deadline applies to each request. */
export function requestOptions(
  { deadlineMs: byDefault }: JournalContext,
  { signal, deadlineMs = byDefault }: CallOptions = {},
): CallOptions {
  return { signal, deadlineMs };
}
