import { cancellationMeaning } from "@tablekeep/client";
import {
  type CallOptions,
  type CancellationReason,
  isDynamoError,
  type TablekeepError,
  type TransactWriteItem,
} from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { alsoWriteRefused } from "../journal-refusals.ts";
import { type ExtraAction, extraActions } from "./extra-actions.ts";
import { type DeadRows, judgeOccupant, readItem } from "./judge-occupant.ts";
import type { PreparedWrite } from "./prepared-write.ts";
import { rowPut } from "./row-put.ts";
import { type Settled, settle, type Verdict } from "./settle.ts";
import type { WriterSession } from "./writer-session.ts";

/** Writes rows, marks and what goes with them, all or none. */
export function sendTransaction(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  options: CallOptions,
): Promise<Settled> {
  const dead: DeadRows = new Map();
  let probe = 0;
  let extras = extraActions(context, session, write, probe);
  const nextProbe = () => {
    probe++;
    extras = extraActions(context, session, write, probe);
  };
  return settle(
    {
      send: (call) => {
        const rows = write.rows.map(
          (_row, at): TransactWriteItem => ({
            Put: rowPut(context, write, at, dead, false),
          }),
        );
        const TransactItems = [...rows, ...extras.map(({ action }) => action)];
        return context.port.transactWriteItems({ TransactItems }, call);
      },
      look: async (call) =>
        (await readItem(context, write.persistenceId, write.first, call))?.["wid"]?.S === write.writeId,
      judge: async (error, _inDoubt, call) => {
        if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
        const reasons = error.details.cancellationReasons ?? [];
        const rows = reasons.slice(0, write.rows.length);
        return (
          (await judgeRows(context, write, rows, error, dead, call)) ??
          judgeExtras(extras, reasons.slice(write.rows.length), error, nextProbe) ??
          judgeOthers(error)
        );
      },
    },
    { ...context, options, deadlineMs: options.deadlineMs ?? context.deadlineMs },
  );
}

/** What the refused rows say; my own earlier success counts above all. */
export async function judgeRows(
  context: JournalContext,
  write: PreparedWrite,
  reasons: readonly CancellationReason[],
  error: TablekeepError,
  dead: DeadRows,
  call: CallOptions,
): Promise<Verdict | undefined> {
  let worst: Verdict | undefined;
  for (const [at, reason] of reasons.entries()) {
    if (reason.Code !== "ConditionalCheckFailed") continue;
    const occupied = {
      persistenceId: write.persistenceId,
      sequenceNr: write.first + at,
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
  nextProbe: () => void,
): Verdict | undefined {
  const refused = extras.filter((_extra, at) => reasons[at]?.Code === "ConditionalCheckFailed");
  // A higher mark, and a raised epoch, are another's and stay.
  if (refused.some(({ kind }) => kind === "mark" || kind === "fence")) return { kind: "others", error };
  if (refused.some(({ kind }) => kind === "registry")) {
    nextProbe();
    return { kind: "changed" };
  }
  return refused.length > 0 ? { kind: "refused", error: alsoWriteRefused(error) } : undefined;
}

/** Locks and throttles pass; anything else is wrong with the request itself. */
function judgeOthers(error: TablekeepError): Verdict | undefined {
  if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
  const meaning = cancellationMeaning(error.details.cancellationReasons ?? []);
  return meaning === "retry" ? { kind: "again" } : undefined;
}
