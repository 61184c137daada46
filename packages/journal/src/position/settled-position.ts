import type { CallOptions } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { type Position, readPosition } from "./read-position.ts";

/** Where an id stands once the appends that this journal object has under way have ended. */
export async function settledPosition(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<Position> {
  await context.writesUnderWay.ended(persistenceId, options);
  return readPosition(context, persistenceId, options);
}
