import { exportLines } from "./export-lines.ts";

/** What an export that was cut short has. */
export interface ExportedSoFar {
  /** Lines up to the end of the last whole atomic write; what comes after them must be cut off before the export goes on. */
  readonly lines: number;
  /** Bytes of these lines. */
  readonly bytes: number;
  /** Ids that are there to their end. */
  readonly ids: ReadonlySet<string>;
  /** The id that was under way, its last event, and how many events of it there are. */
  readonly partial?:
    | { readonly persistenceId: string; readonly sequenceNr: number; readonly events: number }
    | undefined;
  /** Whether nothing is missing. */
  readonly complete: boolean;
}

/** Reads how far an export came, for `resume`. */
export async function readExported(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<ExportedSoFar> {
  const ids = new Set<string>();
  let partial: ExportedSoFar["partial"];
  let complete = false;
  let lines = 0;
  let bytes = 0;
  /** Rows of an atomic write that has not ended yet. */
  let inBatch = 0;
  for await (const { line, number, bytesSoFar } of exportLines(chunks)) {
    if ("sequenceNr" in line && line.batch !== undefined && line.batch[0] < line.batch[1]) {
      inBatch++;
      continue;
    }
    lines = number;
    bytes = bytesSoFar;
    if ("id" in line && partial?.persistenceId !== line.id) {
      partial = { persistenceId: line.id, sequenceNr: 0, events: 0 };
    } else if ("sequenceNr" in line) {
      const { persistenceId, sequenceNr } = line;
      partial = { persistenceId, sequenceNr, events: (partial?.events ?? 0) + inBatch + 1 };
      inBatch = 0;
    } else if ("end" in line) {
      ids.add(line.end);
      partial = undefined;
    } else if ("complete" in line) complete = true;
  }
  return { lines, bytes, ids, partial, complete };
}
