import { type Item, isTablekeepError } from "@tablekeep/core";
import { isJournalError } from "../../errors/journal-error.ts";
import { readRow } from "../../protocol/row-item.ts";
import type { EventRow, JournalRow } from "../../rows/event-row.ts";
import type { Tool } from "../open-tool.ts";
import { type Finding, finding } from "./finding.ts";

/** Reads a row and reports what is wrong with it alone. Its sequence number is that of its key. */
export function readRowOf(
  { context }: Pick<Tool, "context">,
  persistenceId: string,
  item: Item,
  decode: boolean,
): { readonly row: JournalRow | undefined; readonly findings: Finding[] } {
  const sequenceNr = context.layout.sequenceNrOf(persistenceId, item);
  const place = { from: sequenceNr, to: sequenceNr };
  let row: JournalRow | undefined;
  try {
    row = readRow(context, persistenceId, item);
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    const kind = isJournalError(error, "JOURNAL_CHECKSUM_MISMATCH") ? "checksum-mismatch" : "row-corrupt";
    return { row: undefined, findings: [finding(kind, persistenceId, error.message, place)] };
  }
  if (row?.kind !== "event") return { row, findings: [] };
  const findings: Finding[] = [];
  if (row.sequenceNr !== sequenceNr || row.persistenceId !== persistenceId) {
    const message = `the row at number ${sequenceNr} says that it is ${row.sequenceNr} of ${JSON.stringify(row.persistenceId)}`;
    findings.push(finding("wrong-key", persistenceId, message, place));
  }
  const unreadable = decode ? unreadablePayload(context, row) : undefined;
  if (unreadable !== undefined) {
    findings.push(finding("payload-unreadable", persistenceId, unreadable, place));
  }
  return { row: { ...row, sequenceNr, persistenceId }, findings };
}

function unreadablePayload({ codecs }: Tool["context"], row: EventRow): string | undefined {
  try {
    codecs.decode(row.payload);
    if (row.metadata !== undefined) codecs.decode(row.metadata);
    return undefined;
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    return `event ${row.sequenceNr}: ${error.message}`;
  }
}
