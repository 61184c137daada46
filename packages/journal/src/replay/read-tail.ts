import type { CallOptions, Item, Key } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import type { PackedKeys } from "../layouts/layout.ts";
import { type Head, packedMarks } from "../protocol/head.ts";
import { itemRows, rowsWithin } from "../protocol/item-rows.ts";
import { liveness } from "../protocol/liveness.ts";
import type { EarlyRows } from "../protocol/read-rows.ts";
import { isMoved, type JournalRow, lastToCount } from "../rows/event-row.ts";

const maxSequenceNr = Number.MAX_SAFE_INTEGER;

/** Items of the first page: few, because items before the snapshot are charged too. */
export const firstTailItems = 16;
/** Items of each further page. */
const furtherItems = 100;

/** The end of an id in the packed layout, down to its newest snapshot. */
export interface Tail {
  readonly head: Head;
  /** The item of the newest snapshot, and its sequence number; undefined if there is none. */
  readonly snapshot: { readonly item: Item; readonly sequenceNr: number } | undefined;
  /** The events that the snapshot does not cover, as far as they have been read. */
  readonly early: EarlyRows;
  /** The limit with which one request is enough: the items that were needed, the newest first. */
  readonly items: number;
}

/**
 * Reads an id from its end down to its newest snapshot, or to its beginning if it has none. One request if `limit` is at least
 * the number of items after the snapshot and two more; otherwise, further pages are larger. A snapshot is not the end of the search by itself: a compaction may have put events that it
 * does not cover into an item that begins below it.
 */
export async function readTail(
  context: JournalContext,
  persistenceId: string,
  limit: number,
  call: CallOptions,
): Promise<Tail> {
  const { port, table: TableName } = context;
  const { wholeQuery, roleOf } = context.layout.packed as PackedKeys;
  const input = { TableName, ...wholeQuery(persistenceId, 0), ConsistentRead: true, ScanIndexForward: false };
  const search = new TailSearch(context, persistenceId, call);
  let ExclusiveStartKey: Key | undefined;
  let items = limit;
  do {
    const page = await port.query({ ...input, Limit: items, ExclusiveStartKey }, call);
    for (const item of page.Items ?? []) {
      search.items++;
      const role = roleOf(item);
      if (role === "writer") search.writer = item;
      else if (role === "snapshot") search.takeSnapshot(item);
      else await search.takeEvents(item);
      if (search.isDone) return search.tail();
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
    items = Math.max(limit, furtherItems);
  } while (ExclusiveStartKey !== undefined);
  // Only a page with fewer items than its limit shows that there are no more.
  search.items++;
  return search.tail();
}

/** The items found so far, newest first. */
class TailSearch {
  readonly #context: JournalContext;
  readonly #persistenceId: string;
  readonly #isLive: ReturnType<typeof liveness>;
  #snapshot: Tail["snapshot"];
  #rows: (readonly JournalRow[])[] = [];
  /** The key of the lowest item that is certainly live. */
  #lowest = Number.POSITIVE_INFINITY;
  #seen = 0;
  #knowsEnd = false;
  writer: Item | undefined;
  items = 0;

  constructor(context: JournalContext, persistenceId: string, call: CallOptions) {
    this.#context = context;
    this.#persistenceId = persistenceId;
    this.#isLive = liveness(context, persistenceId, call);
  }

  /** Returns whether the end and all events that the snapshot does not cover are known. */
  get isDone(): boolean {
    return this.#knowsEnd && this.#snapshot !== undefined && this.#lowest <= this.#snapshot.sequenceNr + 1;
  }

  takeSnapshot(item: Item): void {
    const sequenceNr = Number((item["num"]?.N ?? "").slice(0, -2));
    this.#snapshot ??= { item, sequenceNr };
  }

  async takeEvents(item: Item): Promise<void> {
    const rows = itemRows(this.#context, this.#persistenceId, item);
    this.#rows.push(rows);
    const last = rows[rows.length - 1];
    if (last === undefined || !(await this.#isLive(last))) return;
    if (!this.#knowsEnd) this.#seen = Math.max(this.#seen, lastToCount(last));
    if (isMoved(last)) return;
    this.#knowsEnd = true;
    this.#lowest = this.#context.layout.sequenceNrOf(this.#persistenceId, item);
  }

  tail(): Tail {
    const from = (this.#snapshot?.sequenceNr ?? 0) + 1;
    const rows = rowsWithin(this.#rows.toReversed().flat(), from, maxSequenceNr);
    const head = { ...packedMarks(this.#context, this.writer), seen: this.#seen };
    return {
      head,
      snapshot: this.#snapshot,
      early: { span: { from, to: maxSequenceNr }, rows, complete: true },
      items: this.items,
    };
  }
}
