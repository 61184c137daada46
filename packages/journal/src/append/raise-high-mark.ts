import type { JournalCall, JournalContext } from "../journal-context.ts";
import { markUpdate } from "./extra-actions.ts";
import { sendIdempotent } from "./send-idempotent.ts";

/**
 * Raises the high mark of an id to that of number `reached`, unless the mark `known` is as high. False if nothing had to be
 * raised. Where rows stand in a bucket that no high mark names, neither the original nor a recovery finds them.
 */
export async function raiseHighMark(
  context: JournalContext,
  persistenceId: string,
  { known, reached }: { readonly known: number; readonly reached: number },
  options: JournalCall,
): Promise<boolean> {
  const { layout, port, table } = context;
  const mark = layout.highMark(persistenceId, known, reached);
  if (mark === undefined) return false;
  return sendIdempotent(context, options, (call) => port.updateItem(markUpdate(table, mark), call));
}
