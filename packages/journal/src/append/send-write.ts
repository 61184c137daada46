import type { JournalCall, JournalContext } from "../journal-context.ts";
import { commitActions } from "./commit-actions.ts";
import { extraActions, fenceActions } from "./extra-actions.ts";
import type { PreparedWrite } from "./prepared-write.ts";
import { sendSingle } from "./send-single.ts";
import { sendStaged } from "./send-staged.ts";
import { sendTransaction } from "./send-transaction.ts";
import type { Settled } from "./settle.ts";
import { rowsThatFit } from "./transaction-room.ts";
import type { WriterSession } from "./writer-session.ts";

/** One put where that is enough, one transaction where that is needed, a staged batch where none is large enough. */
export function sendWrite(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  call: JournalCall,
): Promise<Settled> {
  const extras = extraActions(context, session, write, 0);
  const beside = [...extras, ...fenceActions(context, session, write)];
  if (write.items.length === 1 && beside.length === 0) return sendSingle(context, write, 0, false, call);
  if (rowsThatFit(write, beside) === write.items.length) {
    return sendTransaction(context, session, write, call);
  }
  const lowest = rowsThatFit(write, [...extras, ...commitActions(context, session, write)]);
  return sendStaged(context, session, write, lowest, call);
}
