import { abandon, clearAbandoned, rowIsMine, settle } from "../appending.mjs";
import { commitKey, eventKey, viewLife, writerKey } from "../layout.mjs";
import { isTaken } from "../reading.mjs";
import { takeOver } from "../recovering.mjs";
import { read, readTogether, write } from "../world.mjs";
import { itemsOf, transactionItems } from "./layout.mjs";
import { readPosition, replay } from "./reading.mjs";

/** Takes the id over, and reads its events. What a writer continues after is fixed before them. */
export function* recover(me, options) {
  const { strict, fault } = options;
  const epoch = yield* takeOver(strict);
  const viewedAt = me.world.time;
  const { highest } = yield* strict && fault !== "no-last-look"
    ? finalPosition(options)
    : readPosition(options);
  const { rows, lowest } = yield* replay(options);
  const seen = rows.filter(({ seq }) => seq <= highest);
  begin(me, { epoch, next: highest + 1, viewedAt, lowest, seen });
  return seen;
}

/** A writer has a view of the id, and writes by it. */
export function begin(me, { seen, ...view }) {
  const fresh = { uuid: me.world.newId("w"), abandoned: undefined };
  Object.assign(me, view, fresh, { seen: new Map(seen.map(({ seq, writeId }) => [seq, writeId])) });
}

/** A write that was in time, before the epoch rose, may be on its way: nothing may appear once the id is taken over. */
export function* finalPosition(options) {
  for (;;) {
    const position = yield* readPosition(options);
    if (!(yield* isTaken(position.highest + 1))) return position;
  }
}

/** Writes `count` events at the next numbers, all or none. Returns the outcome: ok, rejected, conflict or unknown. */
export function* append(me, count, options, origin) {
  const { world, next: first, uuid } = me;
  if (me.abandoned !== undefined && !(yield* clearAbandoned(me)))
    return { outcome: "rejected", first, last: first };
  const batch = {
    writeId: world.newId("a"),
    origin,
    first,
    last: first + count - 1,
    count,
    epoch: me.epoch,
    uuid,
  };
  if (world.time - me.viewedAt >= viewLife && options.fault !== "no-reread") {
    const viewedAt = world.time;
    const { highest } = yield* readPosition(options);
    if (highest !== first - 1) return { ...batch, outcome: "conflict" };
    me.viewedAt = viewedAt;
  }
  const items = itemsOf(world, batch);
  const outcome = yield* items.length > transactionItems
    ? sendStaged(me, batch, items, options)
    : settle(
        batch,
        new Map(),
        options,
        (dead) => putTogether(batch, items, dead, options),
        itemsAreMine(batch, items, options),
      );
  return { ...batch, outcome };
}

/** One put, or one transaction. */
function putTogether({ epoch }, items, dead, { strict, fault }) {
  const fence = strict && {
    key: writerKey,
    when: (item) => item?.epoch === epoch || (item === undefined && epoch === 0),
    to: (item) => item,
  };
  return write(...items.map((item) => itemPut(item, dead, fault)), fence);
}

/** The key must be free, or hold a staged item that is known to be dead. */
function itemPut(item, dead, fault) {
  const isFree = (now) =>
    now === undefined || (now.staged && !now.tombstone && now.writeId === dead.get(item.seq));
  return {
    key: eventKey(item.seq),
    when: fault === "unconditional-put" ? undefined : isFree,
    to: () => item,
  };
}

/** Whether a transaction was carried out. All its items are read together: then readers see them too. */
function itemsAreMine({ writeId }, items, { fault }) {
  if (fault === "first-item-only") return rowIsMine({ first: items[0].seq, writeId });
  return function* () {
    const [item] = yield* readTogether(...items.map(({ seq }) => eventKey(seq)));
    return item?.writeId === writeId;
  };
}

/** 1. the stage is recorded, 2. all items but the lowest are put, 3. one transaction puts these and the commit record. */
function* sendStaged(me, batch, all, options) {
  const { writeId, first, last, epoch } = batch;
  const stage = { writeId, first, last };
  const items = all.map((item) => ({ ...item, staged: true }));
  const lowest = items.slice(0, transactionItems);
  const record = () =>
    write({
      key: writerKey,
      when: (item) => item?.stage === undefined && (item?.epoch ?? 0) === epoch,
      to: (item) => ({ ...item, epoch, stage }),
    });
  const isRecorded = function* () {
    return (yield* read(writerKey))?.stage?.writeId === writeId;
  };
  let outcome = yield* settle(batch, new Map(), options, record, isRecorded);
  const inDoubt = outcome === "unknown";
  for (const item of items.slice(transactionItems).reverse()) {
    if (outcome !== "ok") break;
    const put = (dead) => write(itemPut(item, dead, options.fault));
    outcome = yield* settle(batch, new Map(), options, put, rowIsMine({ first: item.seq, writeId }));
  }
  if (outcome !== "ok") {
    yield* abandon(me, stage, inDoubt);
    // The commit was never sent, and nothing else sends it.
    return outcome === "unknown" ? "rejected" : outcome;
  }
  outcome = yield* settle(
    batch,
    new Map(),
    options,
    (dead) => commit(batch, lowest, dead, options),
    commitIsMine(batch, lowest),
  );
  if (outcome === "ok" && options.fault !== "commit-keeps-epoch") me.epoch++;
  if (outcome === "conflict" || outcome === "rejected") yield* abandon(me, stage, inDoubt);
  return outcome;
}

function commit({ writeId, first, last, epoch }, lowest, dead, { fault }) {
  return write(
    ...lowest.map((item) => itemPut(item, dead, fault)),
    { key: commitKey(first), to: () => ({ writeId, last }) },
    {
      key: writerKey,
      when: (item) => item?.stage?.writeId === writeId && item.epoch === epoch,
      to: (item) => ({
        ...item,
        stage: undefined,
        epoch: fault === "commit-keeps-epoch" ? epoch : epoch + 1,
      }),
    },
  );
}

function commitIsMine({ first, writeId }, lowest) {
  return function* () {
    const keys = lowest.map(({ seq }) => eventKey(seq));
    const [record] = yield* readTogether(commitKey(first), ...keys);
    return record?.writeId === writeId;
  };
}
