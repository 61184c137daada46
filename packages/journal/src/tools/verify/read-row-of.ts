import { waitWithin } from "@tablekeep/client";
import { type Item, isTablekeepError } from "@tablekeep/core";
import type { EncodedPayload, PayloadPart } from "../../codecs/codec.ts";
import { mapInOrder } from "../../codecs/maybe-promise.ts";
import { isJournalError } from "../../errors/journal-error.ts";
import { itemSpan, storedRows } from "../../protocol/item-rows.ts";
import type { EventRow, JournalRow } from "../../rows/event-row.ts";
import type { Tool } from "../open-tool.ts";
import { type Finding, finding } from "./finding.ts";

/** The rows of an item, and what is wrong with it. */
export interface ReadItem {
  readonly rows: readonly { readonly row: JournalRow; readonly findings: readonly Finding[] }[];
  /** Of an item that cannot be read: then it has no rows. */
  readonly findings: readonly Finding[];
}

/** Reads the rows of an item and reports what is wrong with each alone. */
export async function readItemOf(
  tool: Pick<Tool, "context" | "call">,
  persistenceId: string,
  item: Item,
  decode: boolean,
): Promise<ReadItem> {
  const { context } = tool;
  let rows: readonly JournalRow[];
  try {
    rows = storedRows(context, persistenceId, item);
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    const kind = isJournalError(error, "JOURNAL_CHECKSUM_MISMATCH") ? "checksum-mismatch" : "row-corrupt";
    const { first, last } = itemSpan(context, persistenceId, item);
    return { rows: [], findings: [finding(kind, persistenceId, error.message, { from: first, to: last })] };
  }
  const numberOf = (row: JournalRow) =>
    context.layout.packed === undefined ? context.layout.sequenceNrOf(persistenceId, item) : row.sequenceNr;
  return {
    rows: await mapInOrder(rows, (row) => checkRowOf(tool, persistenceId, row, numberOf(row), decode)),
    findings: [],
  };
}

/** Its sequence number is that of its key. */
async function checkRowOf(
  tool: Pick<Tool, "context" | "call">,
  persistenceId: string,
  row: JournalRow,
  sequenceNr: number,
  decode: boolean,
): Promise<{ readonly row: JournalRow; readonly findings: readonly Finding[] }> {
  const place = { from: sequenceNr, to: sequenceNr };
  if (row.kind !== "event") return { row, findings: [] };
  const findings: Finding[] = [];
  if (row.sequenceNr !== sequenceNr || row.persistenceId !== persistenceId) {
    const message = `the row at number ${sequenceNr} contains event ${row.sequenceNr} of ${JSON.stringify(row.persistenceId)}`;
    findings.push(finding("wrong-key", persistenceId, message, place));
  }
  const unreadable = decode ? await unreadablePayload(tool, row) : undefined;
  if (unreadable !== undefined) {
    findings.push(finding("payload-unreadable", persistenceId, unreadable, place));
  }
  return { row: { ...row, sequenceNr, persistenceId }, findings };
}

async function unreadablePayload(
  { context: { clock, codecs }, call }: Pick<Tool, "context" | "call">,
  row: EventRow,
): Promise<string | undefined> {
  const { persistenceId, sequenceNr } = row;
  const read = async (encoded: EncodedPayload, part: PayloadPart) => {
    const decoded = codecs.decode(encoded, { part, persistenceId, sequenceNr });
    if (decoded instanceof Promise) await waitWithin({ clock, ...call }, decoded);
  };
  try {
    await read(row.payload, "event");
    if (row.metadata !== undefined) await read(row.metadata, "metadata");
    return undefined;
  } catch (error) {
    // What a codec waits for may fail: that says nothing about the payload.
    if (!isTablekeepError(error) || error.retryable || error.kind === "aborted") throw error;
    return `event ${row.sequenceNr}: ${error.message}`;
  }
}
