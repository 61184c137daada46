import type {
  JournalHistoryEntry,
  JournalHistoryOperation,
  SeenEvent,
  SeenWrite,
} from "../journal-history.ts";

/** An atomic write of a history. */
export interface WrittenBatch {
  readonly texts: readonly string[];
  readonly writerUuid: string;
  /** Of an append without a writer. */
  readonly expected?: number | "none" | "any";
  readonly seen: SeenWrite;
  readonly invoked: number;
  readonly ended: number;
}

/** A replay that came to its end. */
export interface SeenReplay {
  readonly operation: Extract<JournalHistoryOperation, { kind: "replay" }>;
  readonly events: readonly SeenEvent[];
  readonly invoked: number;
  readonly ended: number;
}

/** A moment at which a highest sequence number was returned. */
export interface SeenHighest {
  readonly highest: number;
  readonly invoked: number;
  readonly ended: number;
}

/** A recovery that gave a writer. */
export interface SeenRecovery extends SeenHighest {
  readonly writerUuid: string;
}

/** The history of one persistence id, sorted by kind. */
export interface IdHistory {
  readonly persistenceId: string;
  readonly batches: readonly WrittenBatch[];
  readonly replays: readonly SeenReplay[];
  readonly highest: readonly SeenHighest[];
  readonly recoveries: readonly SeenRecovery[];
  readonly deletes: readonly { readonly to: number; readonly invoked: number }[];
  /** The batch and the place in it of every text. */
  readonly placeOf: ReadonlyMap<string, { readonly batch: WrittenBatch; readonly index: number }>;
}

/** Sorts the operations of one id. */
export function idHistory(persistenceId: string, operations: readonly JournalHistoryEntry[]): IdHistory {
  const batches = operations.flatMap(batchesOf);
  const placeOf = new Map(
    batches.flatMap((batch) => batch.texts.map((text, index) => [text, { batch, index }] as const)),
  );
  const recoveries = operations.flatMap(({ operation, value, invoked, ended }): SeenRecovery[] => {
    const { highest, writerUuid } = value ?? {};
    if (operation.kind !== "recover" || highest === undefined || writerUuid === undefined) return [];
    return [{ highest, writerUuid, invoked, ended }];
  });
  return {
    persistenceId,
    batches,
    placeOf,
    recoveries,
    replays: operations.flatMap(({ operation, value, invoked, ended }) =>
      operation.kind === "replay" && value?.events
        ? [{ operation, events: value.events, invoked, ended }]
        : [],
    ),
    highest: operations.flatMap(({ value, invoked, ended }) =>
      value?.highest === undefined ? [] : [{ highest: value.highest, invoked, ended }],
    ),
    deletes: operations.flatMap(({ operation, invoked }) =>
      operation.kind === "deleteTo" ? [{ to: operation.to, invoked }] : [],
    ),
  };
}

function batchesOf({ operation, outcome, value, invoked, ended }: JournalHistoryEntry): WrittenBatch[] {
  if (operation.kind !== "append") return [];
  // An append that failed as a whole says the same of all its writes.
  const whole: SeenWrite = outcome === "ok" ? { kind: "unknown" } : { kind: outcome };
  return operation.writes.map((texts, at) => ({
    texts,
    writerUuid: operation.writerUuid,
    ...(operation.expected !== undefined && { expected: operation.expected }),
    seen: value?.writes?.[at] ?? whole,
    invoked,
    ended,
  }));
}

/** Up to which number events may have been deleted when something ended. */
export function deletedTo({ deletes }: IdHistory, ended: number): number {
  return deletes.reduce((most, { to, invoked }) => (invoked < ended ? Math.max(most, to) : most), 0);
}
