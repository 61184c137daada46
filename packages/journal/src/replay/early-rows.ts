import type { CallOptions } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import type { Layout, RowSpan } from "../layouts/layout.ts";
import type { EventRow, JournalRow } from "../rows/event-row.ts";
import { readRow } from "../rows/read-row.ts";

/**
 * Rows of one page at most. More than a bucket has, so that it takes one request; few enough that a page of small events
 * is soon done with: a megabyte of them is thousands of objects, which outlive the young generation of the heap.
 */
export const pageRows = 500;

/** Rows of a span that were read before the upper end of a replay was known. */
export interface EarlyRows {
  readonly span: RowSpan;
  /** In order. */
  readonly rows: readonly JournalRow[];
  /** Whether the span has no others. */
  readonly complete: boolean;
}

/** Reads the first page of a span. Undefined if that fails: what is wrong is met again, and told, when its rows are due. */
export async function readEarly(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  options: CallOptions,
): Promise<EarlyRows | undefined> {
  const { port, table: TableName, layout } = context;
  const query = layout.spanQuery(persistenceId, span);
  if (query === undefined) return undefined;
  try {
    const input = { TableName, ...query, ConsistentRead: true, Limit: pageRows };
    const { Items = [], LastEvaluatedKey } = await port.query(input, options);
    const rows = Items.flatMap((item) => readRow(context, persistenceId, item) ?? []);
    return { span, rows, complete: LastEvaluatedKey === undefined };
  } catch {
    return undefined;
  }
}

/**
 * Cuts a range into spans that are to be read and rows that need not be: those that were read early, as far as nothing is
 * missing among them. They stand for good, whatever was written while they were read; what was not there yet is read anew.
 */
export function* piecesOf(
  layout: Layout,
  { from, to }: RowSpan,
  early: readonly EarlyRows[],
): Generator<RowSpan | readonly JournalRow[], void, undefined> {
  let at = from;
  while (at <= to) {
    const known = early.map((each) => unbroken(each.rows, at, to)).find(({ length }) => length > 0);
    if (known !== undefined) {
      yield known;
      at += known.length;
      continue;
    }
    const next = early.map(({ span }) => span.from).filter((begin) => begin > at && begin <= to);
    const end = Math.min(to, ...next.map((begin) => begin - 1));
    yield* layout.spans(at, end);
    at = end + 1;
  }
}

/** The rows from `at` up to `to` or the first number that is missing, deleted or not surely committed. */
function unbroken(rows: readonly JournalRow[], at: number, to: number): readonly EventRow[] {
  const known: EventRow[] = [];
  for (const row of rows) {
    if (row.sequenceNr < at) continue;
    if (row.sequenceNr > to || row.sequenceNr !== at + known.length || row.kind !== "event" || row.staged)
      break;
    known.push(row);
  }
  return known;
}
