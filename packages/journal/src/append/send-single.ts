import { type CallOptions, isDynamoError } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { type DeadRows, judgeOccupant, readItem } from "./judge-occupant.ts";
import type { PreparedWrite } from "./prepared-write.ts";
import { rowPut } from "./row-put.ts";
import { type Settled, settle } from "./settle.ts";

/** Writes one row: one conditional put. `at` is its place in the write. */
export function sendSingle(
  context: JournalContext,
  write: PreparedWrite,
  at: number,
  staged: boolean,
  options: CallOptions,
): Promise<Settled> {
  const dead: DeadRows = new Map();
  const sequenceNr = write.first + at;
  const { persistenceId, writeId } = write;
  return settle(
    {
      send: (call) => context.port.putItem(rowPut(context, write, at, dead, staged), call),
      look: async (call) =>
        (await readItem(context, persistenceId, sequenceNr, call))?.["wid"]?.S === writeId,
      judge: async (error, _inDoubt, call) => {
        if (!isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
        const { first } = write;
        const occupied = { persistenceId, sequenceNr, first, writeId, item: error.details.item };
        return judgeOccupant(context, occupied, error, dead, call);
      },
    },
    context,
    options,
  );
}
