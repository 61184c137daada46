import { cancellationMeaning } from "@tablekeep/client";
import {
  type CallOptions,
  type CancellationReason,
  isDynamoError,
  type TablekeepError,
  type TransactWriteItem,
} from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { type DeadRows, judgeOccupant } from "../protocol/judge-occupant.ts";
import { readTogether } from "../protocol/liveness.ts";
import { alsoWriteRefused } from "../protocol/refusals.ts";
import { type Settled, settle, type Verdict } from "../protocol/settle.ts";
import type { PreparedWrite } from "./prepare-write.ts";
import { rowPut } from "./send-row.ts";
import {
  commitActions,
  type ExtraAction,
  extraActions,
  fenceActions,
  stageCheck,
} from "./transaction-plan.ts";
import type { WriterSession } from "./writer-session.ts";

/** Writes rows, marks and what goes with them, all or none. */
export function sendTransaction(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  options: CallOptions,
): Promise<Settled> {
  const plan = {
    from: 0,
    rows: write.items.length,
    staged: false,
    commits: false,
    extras: (probe: number) => [
      ...extraActions(context, session, write, probe),
      ...fenceActions(context, session, write),
    ],
  };
  return sendPlan(context, write, plan, options);
}

/** Commits a staged batch: its lowest rows, which were not staged, and the record that makes all of them count. */
export function sendCommit(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  lowest: number,
  options: CallOptions,
): Promise<Settled> {
  const plan = {
    from: 0,
    rows: lowest,
    staged: true,
    commits: true,
    extras: (probe: number) => [
      ...commitActions(context, session, write),
      ...extraActions(context, session, write, probe),
    ],
  };
  return sendPlan(context, write, plan, options);
}

/** Puts one row of a staged batch, if its stage is still recorded. `at` is its place in the write. */
export function sendStagedRow(
  context: JournalContext,
  write: PreparedWrite,
  at: number,
  options: CallOptions,
): Promise<Settled> {
  const extras = () => [stageCheck(context, write)];
  return sendPlan(context, write, { from: at, rows: 1, staged: true, commits: false, extras }, options);
}

interface TransactionPlan {
  /** The place of the first row of the write that goes in. */
  readonly from: number;
  /** How many rows go in from there. */
  readonly rows: number;
  readonly staged: boolean;
  /** Whether the commit record of the write goes in. */
  readonly commits: boolean;
  readonly extras: (probe: number) => readonly ExtraAction[];
}

function sendPlan(
  context: JournalContext,
  write: PreparedWrite,
  plan: TransactionPlan,
  options: CallOptions,
): Promise<Settled> {
  const dead: DeadRows = new Map();
  let probe = 0;
  let extras = plan.extras(probe);
  const rowActions = () =>
    write.items.slice(plan.from, plan.from + plan.rows).map((_item, at): TransactWriteItem => {
      return { Put: rowPut(context, write, plan.from + at, dead, plan.staged) };
    });
  return settle(
    {
      send: (call) => {
        const TransactItems = [...rowActions(), ...extras.map(({ action }) => action)];
        return context.port.transactWriteItems({ TransactItems }, call);
      },
      look: (call) => isWritten(context, write, plan, call),
      whole: (call) => isWritten(context, write, plan, call),
      judge: async (error, inDoubt, call) => {
        if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
        // Its own earlier success also makes the other conditions fail.
        if (plan.commits && inDoubt && (await isWritten(context, write, plan, call))) return { kind: "mine" };
        const reasons = error.details.cancellationReasons ?? [];
        const rows = await judgeRows(context, write, plan, reasons, error, dead, call);
        if (rows !== undefined) return rows;
        const verdict = judgeExtras(extras, reasons.slice(plan.rows), error);
        if (verdict === "place-taken") extras = plan.extras(++probe);
        return verdict === "place-taken" ? { kind: "changed" } : (verdict ?? judgeOthers(error));
      },
    },
    context,
    options,
  );
}

/**
 * Whether a transaction was carried out. Its items become visible one by one, in any order: all that a reader needs is read
 * with one transaction, which waits for them, so that what is acknowledged can be read.
 */
async function isWritten(
  context: JournalContext,
  { persistenceId, writeId, first, numbers, mark }: PreparedWrite,
  { from, rows, commits }: TransactionPlan,
  options: CallOptions,
): Promise<boolean> {
  const { layout } = context;
  const keys = numbers.slice(from, from + rows).map((number) => layout.eventKey(persistenceId, number));
  // The row of a staged batch says nothing: what makes it count does.
  if (commits) keys.unshift(layout.commitKey(persistenceId, first));
  if (mark !== undefined && from === 0) keys.push(mark.key);
  const [told] = await readTogether(context, keys, options);
  return told?.["wid"]?.S === writeId;
}

/** The result from the rejected rows; an own earlier success takes precedence. */
async function judgeRows(
  context: JournalContext,
  write: PreparedWrite,
  plan: TransactionPlan,
  reasons: readonly CancellationReason[],
  error: TablekeepError,
  dead: DeadRows,
  call: CallOptions,
): Promise<Verdict | undefined> {
  let worst: Verdict | undefined;
  for (const [at, reason] of reasons.slice(0, plan.rows).entries()) {
    if (reason.Code !== "ConditionalCheckFailed") continue;
    const occupied = {
      persistenceId: write.persistenceId,
      sequenceNr: write.numbers[plan.from + at] as number,
      first: write.first,
      writeId: write.writeId,
      item: reason.Item,
    };
    const verdict = await judgeOccupant(context, occupied, error, dead, call);
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
  // A higher mark, a raised epoch and a cleared stage are another's and stay.
  if (refused.some(({ kind }) => kind === "mark" || kind === "fence")) return { kind: "others", error };
  if (refused.some(({ kind }) => kind === "registry")) return "place-taken";
  return refused.length > 0 ? { kind: "refused", error: alsoWriteRefused(error) } : undefined;
}

/** Locks and throttles pass; anything else is wrong with the request itself. */
function judgeOthers(error: TablekeepError): Verdict | undefined {
  if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
  const meaning = cancellationMeaning(error.details.cancellationReasons ?? []);
  return meaning === "retry" ? { kind: "again" } : undefined;
}
