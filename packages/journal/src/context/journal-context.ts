import { waitWithin } from "@tablekeep/client";
import type { CallOptions, Clock, DynamoPort, Logger, Random, StandardSchema } from "@tablekeep/core";
import type { AkkaLine } from "../codecs/akka-line.ts";
import type { Codecs } from "../codecs/codec.ts";
import type { Layout } from "../layouts/layout.ts";
import type { MessageNames } from "../rows/message-format.ts";
import type { RowFormat } from "../rows/row-format.ts";
import { checkPersistenceId } from "./call-checks.ts";
import type { Fencing } from "./journal.ts";

/** The appends that one journal object has in flight, by id: reads of an id's position wait for them. */
export interface WritesUnderWay {
  /** Notes an append until it has ended. */
  add(persistenceId: string, append: Promise<unknown>): void;
  /** Resolves once the appends of the id that are in flight now have ended, however they did. */
  ended(persistenceId: string, options: CallOptions): Promise<void>;
}

/** Notes nothing yet. */
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
 * Which Akka uses the journal's table too. `unknown`: one does, or may, and its version is unknown.
 */
export type AkkaUse = "none" | AkkaLine | "unknown";

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
  /** Which of the originals' item formats events are written in. */
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
}

/** Whether an Akka plugin may take any id of this journal over: then deletes leave what it can read. */
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
  /** Whether the time of the whole call is up: then nothing further is begun. Absent where only requests have a deadline. */
  readonly isOver?: boolean;
}

/**
 * The signal and deadline of one call on a journal. The deadline is that of the whole call: whenever `deadlineMs` is
 * read, it is what is left.
 */
export function callOptions(
  { clock, deadlineMs: byDefault }: JournalContext,
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
 * The same for work that is as long as an id's history. A deadline that the caller names is that of the whole call; the
 * journal's own is that of each request.
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
