import { akkaWithout } from "../../codecs/akka-line.ts";
import { isShared, type JournalContext } from "../../context/journal-context.ts";
import type { EventRow } from "../../rows/event-row.ts";
import type { Tool } from "../open-tool.ts";
import { copyRefused, unreadableByAkka } from "./copy-errors.ts";

/** Options of the tools that copy events into a journal. */
export interface AkkaCopyOptions {
  /** Whether events are copied that the Akka which shares the target's table cannot read. @default false */
  readonly allowUnreadableByAkka?: boolean;
}

/** Throws if the Akka that shares the target's table cannot read an event. */
export type AkkaCheck = (row: EventRow) => void;

/**
 * The check of events that are copied into a journal; undefined if every event may be copied. One that Akka cannot read makes
 * it fail to recover the whole id, so callers check all events of an id before they write the first.
 */
export function akkaCheck({ context }: Tool, options: AkkaCopyOptions): AkkaCheck | undefined {
  if (!isShared(context) || options.allowUnreadableByAkka === true) return undefined;
  return (row) => {
    if (row.expiresAt !== undefined)
      throw copyRefused(
        row.persistenceId,
        row.sequenceNr,
        `event ${row.sequenceNr} expires, and the Akka that shares the table would still return it`,
      );
    const line = akkaWithout(context.akka, row.payload.serializerId);
    if (line !== undefined) throw unreadableByAkka(row, context.akka, line);
  };
}

/** The writes of a source. Throws before it yields one with an event that Akka neither wrote nor can read. */
export async function* readableWrites(
  { context }: Tool,
  writes: AsyncIterable<readonly EventRow[]>,
  check: AkkaCheck | undefined,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  for await (const write of writes) {
    for (const row of write) if (!isByAkka(context, row)) check?.(row);
    yield write;
  }
}

/** Whether an Akka plugin wrote a row of a journal: it has no write id. No plugin writes the linear and packed layouts. */
export function isByAkka({ layout }: Pick<JournalContext, "layout">, { writeId }: EventRow): boolean {
  return writeId === undefined && layout.name !== "linear" && layout.name !== "packed";
}
