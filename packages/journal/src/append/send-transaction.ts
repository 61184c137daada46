import { cancellationMeaning } from "@tablekeep/client";
import {
  type CallOptions,
  type CancellationReason,
  isDynamoError,
  type TablekeepError,
  type TransactWriteItem,
} from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import type { RejectedItem } from "../errors/journal-error.ts";
import { type DeadRows, judgeOccupant, type Occupied } from "../protocol/judge-occupant.ts";
import { readTogether } from "../protocol/liveness.ts";
import { type Settled, settle, type Verdict } from "../protocol/settle.ts";
import { alsoWriteRejected } from "../protocol/write-errors.ts";
import type { PreparedWrite } from "./prepare-write.ts";
import { rowPut } from "./send-row.ts";
import { type ExtraAction, stageCheck, withRegistryAt } from "./transaction-plan.ts";

/** Writes rows, marks and further actions in one transaction. */
export function sendTransaction(
  context: JournalContext,
  write: PreparedWrite,
  extras: readonly ExtraAction[],
  options: CallOptions,
): Promise<Settled> {
  const sent = { from: 0, rows: write.items.length, staged: false, commits: false, extras };
  return sendRows(context, write, sent, options);
}

/** Commits a staged batch: writes its lowest rows, which were not staged, and the commit record. */
export function sendCommit(
  context: JournalContext,
  write: PreparedWrite,
  lowest: number,
  extras: readonly ExtraAction[],
  options: CallOptions,
): Promise<Settled> {
  return sendRows(context, write, { from: 0, rows: lowest, staged: true, commits: true, extras }, options);
}

/** Puts one row of a staged batch, if its stage is still recorded. `at` is its place in the write. */
export function sendStagedRow(
  context: JournalContext,
  write: PreparedWrite,
  at: number,
  options: CallOptions,
): Promise<Settled> {
  const extras = [stageCheck(context, write)];
  return sendRows(context, write, { from: at, rows: 1, staged: true, commits: false, extras }, options);
}

/** The contents of one transaction. */
interface SentRows {
  /** The index of the first row of the write in this transaction. */
  readonly from: number;
  /** The number of rows in this transaction. */
  readonly rows: number;
  readonly staged: boolean;
  /** Whether the commit record of the write is in this transaction. */
  readonly commits: boolean;
  readonly extras: readonly ExtraAction[];
}

function sendRows(
  context: JournalContext,
  write: PreparedWrite,
  sent: SentRows,
  options: CallOptions,
): Promise<Settled> {
  const dead: DeadRows = new Map();
  let probe = 0;
  let { extras } = sent;
  const rowActions = () =>
    write.items.slice(sent.from, sent.from + sent.rows).map((_item, at): TransactWriteItem => {
      return { Put: rowPut(context, write, sent.from + at, dead, sent.staged) };
    });
  return settle(
    {
      send: (call) => {
        const TransactItems = [...rowActions(), ...extras.map(({ action }) => action)];
        return context.port.transactWriteItems({ TransactItems }, call);
      },
      isStored: (call) => isWritten(context, write, sent, call),
      untilVisible: (call) => isWritten(context, write, sent, call),
      judge: async (error, inDoubt, call) => {
        if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
        // Its own earlier success also makes the other conditions fail.
        if (sent.commits && inDoubt && (await isWritten(context, write, sent, call))) return { kind: "mine" };
        const reasons = error.details.cancellationReasons ?? [];
        const rows = await judgeRows(write, sent, reasons, (occupied) =>
          judgeOccupant(context, occupied, error, dead, call),
        );
        if (rows !== undefined) return rows;
        const verdict = judgeExtras(extras, reasons.slice(sent.rows), error);
        if (verdict === "place-taken") extras = withRegistryAt(context, write, extras, ++probe);
        return verdict === "place-taken" ? { kind: "changed" } : (verdict ?? judgeOthers(error));
      },
    },
    context,
    options,
  );
}

/**
 * Reads whether a transaction was applied. Its items become visible one by one, in any order. All that a reader needs
 * is read in one transaction, which waits for them, so that acknowledged events can be read.
 */
async function isWritten(
  context: JournalContext,
  { persistenceId, writeId, first, numbers, mark }: PreparedWrite,
  { from, rows, commits }: SentRows,
  options: CallOptions,
): Promise<boolean> {
  const { layout } = context;
  const keys = numbers.slice(from, from + rows).map((number) => layout.eventKey(persistenceId, number));
  // The row of a staged batch proves nothing; its commit record does.
  if (commits) keys.unshift(layout.commitKey(persistenceId, first));
  if (mark !== undefined && from === 0) keys.push(mark.key);
  const [proof] = await readTogether(context, keys, options);
  return proof?.["wid"]?.S === writeId;
}

/** The result that the rejected rows show; an earlier success of this write takes precedence. */
async function judgeRows(
  write: PreparedWrite,
  sent: SentRows,
  reasons: readonly CancellationReason[],
  judge: (occupied: Occupied) => Promise<Verdict>,
): Promise<Verdict | undefined> {
  let worst: Verdict | undefined;
  for (const [at, reason] of reasons.slice(0, sent.rows).entries()) {
    if (reason.Code !== "ConditionalCheckFailed") continue;
    const occupied = {
      persistenceId: write.persistenceId,
      sequenceNr: write.numbers[sent.from + at] as number,
      first: write.first,
      writeId: write.writeId,
      item: reason.Item,
    };
    const verdict = await judge(occupied);
    if (verdict.kind === "mine" || verdict.kind === "others") return verdict;
    if (worst === undefined || verdict.kind === "passing") worst = verdict;
  }
  return worst;
}

function judgeExtras(
  extras: readonly ExtraAction[],
  reasons: readonly CancellationReason[],
  error: TablekeepError,
): Verdict | "place-taken" | undefined {
  const refused = extras.filter((_extra, at) => reasons[at]?.Code === "ConditionalCheckFailed");
  // A higher mark, a raised epoch and a cleared stage come from another writer and are permanent.
  if (refused.some(({ kind }) => kind === "mark" || kind === "fence")) return { kind: "others", error };
  if (refused.some(({ kind }) => kind === "registry")) return "place-taken";
  if (refused.length === 0) return undefined;
  return { kind: "refused", error: alsoWriteRejected(error, rejectedItems(extras, reasons)) };
}

/** The items of the caller whose conditions failed. */
function rejectedItems(
  extras: readonly ExtraAction[],
  reasons: readonly CancellationReason[],
): RejectedItem[] {
  const ofCaller = reasons.filter((_reason, at) => extras[at]?.kind === "caller");
  return ofCaller.flatMap(({ Code, Item }, index) =>
    Code === "ConditionalCheckFailed" ? [{ index, ...(Item && { item: Item }) }] : [],
  );
}

/** Locks and throttling are temporary; anything else is a fault of the request itself. */
function judgeOthers(error: TablekeepError): Verdict | undefined {
  if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
  const meaning = cancellationMeaning(error.details.cancellationReasons ?? []);
  return meaning === "retry" ? { kind: "again" } : undefined;
}
