import type { TransactWriteItem } from "@tablekeep/core";
import { isTablekeepError } from "@tablekeep/core";
import type { NewEvent } from "@tablekeep/journal";
import { EntityError } from "../entity-error.ts";
import { writeEvent } from "../events/write-event.ts";
import type { Cell } from "./cell.ts";
import { decideCommand } from "./decide-command.ts";
import type { GroupEntry } from "./group-entry.ts";
import type { LoadedEntity } from "./loaded-entity.ts";
import type { PendingAsk } from "./pending-ask.ts";

/** Commands that are written together: all of them, or none. */
export interface Group {
  readonly entries: readonly GroupEntry[];
  /** The events of all of them, in order. */
  readonly events: readonly NewEvent[];
  /** False for one command with independent events. */
  readonly atomic: boolean;
  /** What the ledger is to remember. */
  readonly alsoWrite: readonly TransactWriteItem[];
}

/** Events and ledger items of a group. DynamoDB takes 100 actions; the journal has some of its own. */
const maxActions = 90;

/** Takes commands from the queue and decides them, each on the state that the one before leaves. */
export async function formGroup(cell: Cell, loaded: LoadedEntity): Promise<Group> {
  const { queue, context } = cell;
  const entries: GroupEntry[] = [];
  const events: NewEvent[] = [];
  const alsoWrite: TransactWriteItem[] = [];
  const commandIds = new Set<string>();
  while (entries.length < context.maxGroup) {
    const ask = queue.first;
    if (ask === undefined) break;
    if (ask.answered) {
      queue.removeFirst();
      continue;
    }
    const commandId = ask.identified?.commandId;
    if (entries.length > 0 && (ask.alone || (commandId !== undefined && commandIds.has(commandId)))) break;
    const state = entries.length > 0 ? entries.at(-1)?.state : loaded.state;
    const made = await makeEntry(cell, ask, state, loaded.sequenceNr + events.length);
    const actions = events.length + alsoWrite.length + made.events.length + made.alsoWrite.length;
    if (entries.length > 0 && (!made.entry.atomic || actions > maxActions)) break;
    queue.removeFirst();
    entries.push(made.entry);
    events.push(...made.events);
    alsoWrite.push(...made.alsoWrite);
    if (commandId !== undefined) commandIds.add(commandId);
    if (ask.alone || !made.entry.atomic) break;
  }
  return { entries, events, alsoWrite, atomic: entries.every(({ atomic }) => atomic) };
}

interface MadeEntry {
  readonly entry: GroupEntry;
  readonly events: readonly NewEvent[];
  readonly alsoWrite: readonly TransactWriteItem[];
}

/** What becomes of one command, on this state. */
async function makeEntry(
  cell: Cell,
  ask: PendingAsk,
  state: unknown,
  sequenceNr: number,
): Promise<MadeEntry> {
  const { context, entity } = cell;
  const decidedAt = Math.floor(context.clock.now());
  const nothing = { ask, events: [], atomic: true, decidedAt, reply: undefined, remember: false, state };
  const failed = (error: EntityError): MadeEntry => ({
    entry: { ...nothing, error },
    events: [],
    alsoWrite: [],
  });
  const known = ask.maybeKnown ? await firstReply(cell, ask) : undefined;
  if (known instanceof EntityError) return failed(known);
  if (known !== undefined)
    return { entry: { ...nothing, reply: known.reply, error: undefined }, events: [], alsoWrite: [] };
  const decided = decideCommand(entity.definition, ask.command, state, {
    id: entity.place.id,
    now: decidedAt,
    sequenceNr,
    commandId: ask.identified?.commandId,
    newId: context.newId,
  });
  if ("error" in decided) {
    // The state may say no because the command was carried out before.
    if (ask.identified === undefined || ask.maybeKnown) return failed(decided.error);
    ask.maybeKnown = true;
    return makeEntry(cell, ask, state, sequenceNr);
  }
  try {
    const remember = ask.identified !== undefined && context.ledger !== undefined;
    // The ledger's item goes with the last write: of several, the others would be there before it can refuse.
    const atomic = decided.atomic || remember;
    const entry = { ...nothing, ...decided, atomic, remember, error: undefined };
    return {
      entry,
      events: decided.events.map((event) => writeEvent(entity.definition, event, decidedAt)),
      alsoWrite:
        ask.identified && context.ledger ? [context.ledger.action(ask.identified, decided.reply)] : [],
    };
  } catch (error) {
    if (error instanceof EntityError) return failed(error);
    const reason = "its tags could not be told";
    const message = `${entity.place.entity} ${entity.place.id}: an event is invalid: ${reason}`;
    return failed(
      new EntityError("ENTITY_EVENT_INVALID", message, { ...entity.place, reason }, { cause: error }),
    );
  }
}

/** What the ledger knows of a command; an error where it cannot be asked. */
async function firstReply(
  { context, entity }: Cell,
  ask: PendingAsk,
): Promise<{ readonly reply: unknown } | EntityError | undefined> {
  if (ask.identified === undefined || context.ledger === undefined) return undefined;
  const deadlineMs = Math.max(1, ask.endsAt - context.clock.monotonic());
  try {
    return await context.ledger.find(ask.identified, { deadlineMs });
  } catch (error) {
    if (error instanceof EntityError) return error;
    const message = `${entity.place.entity} ${entity.place.id}: the ledger could not be read: ask again`;
    const ambiguous = ask.doubts.length > 0;
    const cause = isTablekeepError(error) ? error : undefined;
    return new EntityError("ENTITY_NOT_STORED", message, entity.place, { ambiguous, cause });
  }
}
