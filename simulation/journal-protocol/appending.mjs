import {
  bucketOf,
  bucketSize,
  commitKey,
  eventKey,
  highMarkKey,
  transactionRows,
  viewLife,
  writerKey,
} from "./layout.mjs";
import { commitState, readPosition } from "./reading.mjs";
import { clearLeft, raiseEpoch, removeRows } from "./recovering.mjs";
import { lost, read, readTogether, write } from "./world.mjs";

/** How often a request is sent before its deadline has come. */
const attempts = 6;

/** Writes `count` events at the next numbers, all or none. Returns the outcome: ok, rejected, conflict or unknown. */
export function* append(me, count, options) {
  const { world, next: first } = me;
  if (me.abandoned !== undefined && !(yield* clearAbandoned(me)))
    return { outcome: "rejected", first, last: first };
  const { epoch, high } = me;
  const batch = { writeId: world.newId("a"), first, last: first + count - 1, count, epoch, high };
  if (world.time - me.viewedAt >= viewLife && options.fault !== "no-reread") {
    const viewedAt = world.time;
    const { highest } = yield* readPosition(options);
    if (highest !== first - 1) return { ...batch, outcome: "conflict" };
    me.viewedAt = viewedAt;
  }
  const outcome =
    count > transactionRows
      ? yield* sendStaged(me, batch, options)
      : yield* settle(
          batch,
          new Map(),
          options,
          (dead) => transaction(me, batch, dead, options),
          options.fault === "first-row-only" ? rowIsMine(batch) : rowsAreMine(batch, count),
        );
  return { ...batch, outcome };
}

function transaction(me, batch, dead, options) {
  const { strict, shared, fault } = options;
  const isInTime = (item) => !strict || item?.epoch === batch.epoch;
  const fence = (strict || shared) && {
    key: writerKey,
    when: (item) => isInTime(item) && isAbove(item, batch.first, options),
    to: (item) => item,
  };
  return write(...rowPuts(me, batch, batch.count, dead, false, fault), highMark(batch, fault), fence);
}

/** Where deletes leave no tombstones, the writer item says below which number everything is deleted. */
function isAbove(item, number, { shared, fault }) {
  return !shared || fault === "no-guard" || (item?.mark?.seq ?? 0) <= number;
}

function rowPuts(me, batch, rows, dead, staged, fault) {
  return Array.from({ length: rows }, (_unused, index) => rowPut(me, batch, index, dead, staged, fault));
}

/** The number must be free, or taken by a row that is known to be dead. */
function rowPut(me, { writeId, first, count }, index, dead, staged, fault) {
  const seq = first + index;
  const place = count > 1 ? { index, lastIndex: count - 1 } : {};
  const hole = index === 0 && me.endsInHole ? { aboveHole: true } : {};
  const isFree = (row) => row === undefined || (row.staged && row.writeId === dead.get(seq));
  return {
    key: eventKey(seq),
    when: fault === "unconditional-put" ? undefined : isFree,
    to: () => ({ seq, writeId, uuid: me.uuid, ...place, ...(staged && { staged }), ...hole }),
  };
}

/**
 * An append into a bucket that no high mark is known to name raises the mark: the original finds no other. A mark that is
 * written together with the row of its number is ours.
 */
function highMark({ first, last, high }, fault) {
  const seq = bucketOf(last) * bucketSize;
  if (seq <= high || fault === "no-mark") return undefined;
  return {
    key: highMarkKey(last),
    when: (mark) => mark === undefined || mark.seq <= seq,
    to: () => ({ seq, ...(seq >= first && { ours: true }) }),
  };
}

/** 1. the stage is recorded, 2. all rows but the lowest are put, 3. one transaction puts these and the commit record. */
function* sendStaged(me, batch, options) {
  const { writeId, first, last, epoch } = batch;
  const stage = { writeId, first, last };
  const record = () =>
    write({
      key: writerKey,
      when: (item) =>
        item?.stage === undefined && (item?.epoch ?? 0) === epoch && isAbove(item, first, options),
      to: (item) => ({ ...item, epoch, stage }),
    });
  const isRecorded = function* () {
    return (yield* read(writerKey))?.stage?.writeId === writeId;
  };
  let outcome = yield* settle(batch, new Map(), options, record, isRecorded);
  const inDoubt = outcome === "unknown";
  for (let number = last; outcome === "ok" && number > first + transactionRows - 1; number--) {
    const put = (dead) =>
      write(
        rowPut(me, batch, number - first, dead, true, options.fault),
        options.shared && {
          key: writerKey,
          when: (item) => item?.stage?.writeId === writeId && isAbove(item, first, options),
          to: (item) => item,
        },
      );
    outcome = yield* settle(batch, new Map(), options, put, rowIsMine({ ...batch, first: number }));
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
    (dead) => commit(me, batch, dead, options),
    commitIsMine(batch, options.fault),
  );
  if (outcome === "ok" && options.fault !== "commit-keeps-epoch") me.epoch++;
  if (outcome === "conflict" || outcome === "rejected") yield* abandon(me, stage, inDoubt);
  return outcome;
}

function commit(me, batch, dead, options) {
  const { fault } = options;
  const { writeId, first, last, epoch } = batch;
  return write(
    ...rowPuts(me, batch, transactionRows, dead, true, fault),
    { key: commitKey(first), to: () => ({ writeId, last }) },
    highMark(batch, fault),
    {
      key: writerKey,
      when: (item) =>
        item?.stage?.writeId === writeId && item.epoch === epoch && isAbove(item, first, options),
      to: (item) => ({
        ...item,
        stage: undefined,
        epoch: fault === "commit-keeps-epoch" ? epoch : epoch + 1,
      }),
    },
  );
}

/** Takes back what was staged. What cannot be done now is the first thing that the writer's next append does. */
export function* abandon(me, stage, inDoubt) {
  me.abandoned = { ...stage, inDoubt };
  yield* clearAbandoned(me);
}

/** True once what an earlier append of this writer has left is cleared away. `inDoubt`: its record may yet come. */
export function* clearAbandoned(me) {
  const { abandoned } = me;
  const item = yield* read(writerKey);
  // Raised by this writer, with a request whose answer was lost: no other writer has raised the epoch since.
  if (item?.left?.by === me.uuid && item.epoch === me.epoch + 1) me.epoch++;
  if (item?.left !== undefined) yield* clearLeft(item.left);
  const isMine = (item?.epoch ?? 0) === me.epoch;
  const mayCome = abandoned.inDoubt && isMine && item?.stage === undefined;
  if (item?.stage?.writeId !== abandoned.writeId && !mayCome) {
    yield* removeRows(abandoned);
  } else {
    // It also rejects a record that comes late, and that would block this writer.
    const answer = yield raiseEpoch(item, me.uuid);
    if (!answer.ok) return false;
    if (isMine) me.epoch++;
    if (!mayCome) yield* clearLeft(abandoned);
  }
  me.abandoned = undefined;
  return true;
}

/** Sends until the outcome is known: an answer, or what the items say. At the deadline an unsettled write is unknown. */
export function* settle(batch, dead, { fault }, make, isMine) {
  let doubt = false;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const answer = yield make(dead);
    if (answer.ok) return "ok";
    if (answer === lost) doubt = true;
    if (yield* isMine()) return "ok";
    if (answer === lost) continue;
    if (!answer.refused.startsWith("P")) return "conflict";
    const number = Number(answer.refused.slice(1));
    const verdict = yield* judge(number, batch.writeId, fault);
    if (verdict.kind === "dead") dead.set(number, verdict.writeId);
    else if (verdict.kind === "others") return "conflict";
    // The existing item may be removed, and then an earlier copy may be applied: with an unknown one this is not evidence.
    else if (verdict.kind === "passing" && (!doubt || fault === "hasty-conflict")) return "conflict";
  }
  return doubt ? "unknown" : "rejected";
}

/** Whose a number is. A staged row is dead if at one moment it is neither recorded nor named by its commit record. */
function* judge(number, writeId, fault) {
  const row = yield* read(eventKey(number));
  if (row === undefined || row.writeId === writeId) return { kind: "passing" };
  if (!row.staged || row.tombstone) return { kind: "others" };
  const { staged, committed } = yield* commitState(row.seq - row.index, fault);
  if (staged === row.writeId && fault !== "steal-recorded") return { kind: "passing" };
  return committed === row.writeId ? { kind: "others" } : { kind: "dead", writeId: row.writeId };
}

export const rowIsMine = ({ first, writeId }) =>
  function* () {
    return (yield* read(eventKey(first)))?.writeId === writeId;
  };

/** Whether a transaction was carried out. All that its readers need is read together: then they see it too. */
const rowsAreMine = (batch, rows) =>
  function* () {
    const [row] = yield* readTogether(...visibleKeys(batch, rows));
    return row?.writeId === batch.writeId;
  };

const commitIsMine = (batch, fault) =>
  function* () {
    if (fault === "first-row-only") return (yield* commitState(batch.first)).committed === batch.writeId;
    const [record] = yield* readTogether(commitKey(batch.first), ...visibleKeys(batch, transactionRows));
    return record?.writeId === batch.writeId;
  };

function visibleKeys(batch, rows) {
  const keys = Array.from({ length: rows }, (_unused, index) => eventKey(batch.first + index));
  const mark = highMark(batch);
  return mark === undefined ? keys : [...keys, mark.key];
}
