import { claimLife, isRecordOf, keepRecord, lifeCheck, stillDeleted } from "../deleting.mjs";
import { commitKey, eventKey, tombstoneLife, writerKey } from "../layout.mjs";
import { lost, read, readTogether, sure, write } from "../world.mjs";
import { beside, isSnapshot, isStill, tombstoneOf } from "./layout.mjs";
import { countsForSure, listItems, readPosition } from "./reading.mjs";

/**
 * Deletes up to a number. The low mark in the writer item is raised first. Then items wholly below it become tombstones, and
 * one that reaches above it is rewritten without what was deleted. `rowsFrom` of the mark is the place where the next delete begins: that of
 * this last item, which lies below the mark. `life` is that of the id when the caller read up to where it may delete.
 */
export function* deleteTo(options, asked, { dropsItems = true, life: claimed } = {}) {
  const { world, fault } = options;
  const life = claimed ?? (yield* claimLife(world));
  const isOf = lifeCheck(life, fault);
  for (;;) {
    const { highest, low, writer } = yield* readPosition(options);
    const to = Math.min(asked, highest);
    const mark = { rowsFrom: 1, ...writer?.mark };
    if (to < low) {
      if (writer?.mark !== undefined && dropsItems) yield* dropDeleted(options, mark, life);
      return;
    }
    const raised = { ...mark, seq: to + 1 };
    if (fault === "mark-last" && dropsItems) yield* dropItems(options, raised, life);
    const answer = yield write({
      key: writerKey,
      when: (item) => isOf(item) && (item?.mark?.seq ?? 1) < raised.seq,
      to: (item) => ({ ...item, mark: raised }),
    });
    if (answer.ok) return dropsItems ? yield* dropDeleted(options, raised, life) : undefined;
    if (answer !== lost && !isOf(yield* read(writerKey))) return;
  }
}

/** Drops what is deleted, and notes that unless another delete has raised the mark since and taken the work over. */
function* dropDeleted(options, mark, life) {
  const rowsFrom = yield* dropItems(options, mark, life);
  if (rowsFrom === "another life") return;
  const isOf = lifeCheck(life, options.fault);
  yield* sure(
    write({
      key: writerKey,
      when: (item) => isOf(item) && item?.mark?.seq === mark.seq,
      to: (item) => ({ ...item, mark: { ...mark, rowsFrom } }),
    }),
  );
  yield* sweep(options, mark, life);
}

/** Drops all items below the mark, and lists them again where one has changed meanwhile. Returns the place where the next delete begins. */
function* dropItems(options, mark, life) {
  const { fault } = options;
  for (;;) {
    const items = yield* itemsBelow(options, mark);
    if (fault !== "mark-last" && !(yield* stillDeleted(mark, life, fault))) return "another life";
    let isDone = true;
    let rowsFrom = mark.seq;
    for (const item of items) {
      if (item.tombstone) continue;
      const isLive = yield* countsForSure(item);
      if (isLive && item.last >= mark.seq) {
        if (fault !== "begins-at-mark") rowsFrom = Math.min(rowsFrom, item.seq);
        if (item.rows[0].seq >= mark.seq) continue;
      }
      const answer = yield* drop(options, item, mark, isLive);
      isDone &&= answer.ok === true;
    }
    if (isDone || fault === "refusal-ends-delete") return rowsFrom;
  }
}

/** Items that begin below the mark. Where numbers are missing, theirs may become visible just now: a transaction of reads waits for it. */
function* itemsBelow(options, { rowsFrom, seq: end }) {
  const listed = yield* listItems(options, { from: rowsFrom, to: end - beside });
  const items = [];
  let expected = rowsFrom;
  const wait = function* (next) {
    if (expected >= next || options.fault === "gaps-unread") return;
    for (;;) {
      const [item] = yield* readTogether(eventKey(expected));
      if (item === undefined || items.some(({ seq }) => seq === item.seq)) return;
      items.push(item);
      if (!item.tombstone && !(yield* countsForSure(item))) return;
      expected = item.last + 1;
      if (expected >= next) return;
    }
  };
  for (const { key, item } of listed) {
    if (isSnapshot(key)) continue;
    yield* wait(item.seq);
    if (items.some(({ seq }) => seq === item.seq)) continue;
    items.push(item);
    if (item.tombstone || (yield* countsForSure(item))) expected = Math.max(expected, item.last + 1);
  }
  yield* wait(end);
  return items;
}

/** A dead item leaves nothing: as a tombstone its numbers would count. */
function* drop(options, item, mark, isLive) {
  const { world, fault } = options;
  const when = fault === "rewrite-any-item" ? undefined : isStill(item);
  if (!isLive && fault !== "dead-tombstone") {
    yield* removeDead(item);
    return { ok: true };
  }
  const expiry = world.time + tombstoneLife;
  const kept = item.rows.filter(({ seq }) => seq >= mark.seq);
  if (isLive && item.last >= mark.seq)
    return yield write({ key: eventKey(item.seq), when, to: () => ({ ...item, rows: kept }) });
  const end = { ...item, seq: item.last, index: item.index + item.last - item.seq };
  const commitOf = yield* keepRecord(world, end, fault);
  const tombstone = fault === "no-tombstone" ? undefined : tombstoneOf(item, expiry, { commitOf });
  return yield write({ key: eventKey(item.seq), when, to: () => tombstone });
}

function* removeDead({ seq, writeId }) {
  const isDead = (now) => now?.staged === true && now.writeId === writeId;
  yield* sure(write({ key: eventKey(seq), when: isDead, to: () => undefined }));
}

/** Removes expired tombstones with the commit records that expired along, and staged items that never counted. */
function* sweep(options, mark, life) {
  const { world, fault } = options;
  const listed = yield* listItems(options, { from: 0, to: mark.seq - beside });
  if (!(yield* stillDeleted(mark, life, fault))) return;
  for (const { key, item } of listed) {
    yield* sweepOne(world, item, fault);
    // It may have arrived after the delete that dropped the item around it.
    if (!isSnapshot(key) && !(yield* countsForSure(item))) yield* removeDead(item);
  }
}

/** Removes a tombstone whose time is over. */
export function* sweepOne(world, item, fault) {
  if (!item.tombstone || (item.expiry > world.time && fault !== "sweep-early")) return;
  const { commitOf, writeId } = item;
  if (commitOf !== undefined)
    yield* sure(write({ key: commitKey(commitOf), when: isRecordOf(writeId, fault), to: () => undefined }));
  yield* sure(write({ key: eventKey(item.seq), when: isStill(item), to: () => undefined }));
}
