import type { NewEvent } from "@tablekeep/journal";
import { decideCommand } from "../definition/decide-command.ts";
import { type EventOrigin, writeEvent } from "../definition/event-payload.ts";
import { definitionFailed, EntityError } from "../entity-error.ts";
import { checkFailed } from "./ask-errors.ts";
import type { Cell, LoadedEntity } from "./cell.ts";
import type { GroupEntry, PendingAsk } from "./pending-ask.ts";
import { type GroupItem, shareKey } from "./rejected-items.ts";

/** Commands that are written together or not at all. */
export interface Group {
  readonly entries: readonly GroupEntry[];
  /** The events of all commands, in order. */
  readonly events: readonly NewEvent[];
  /** False for a single command with independent events. */
  readonly atomic: boolean;
  /** The items to write in the same transaction: those of the decisions, and those of the ledger. */
  readonly alsoWrite: readonly GroupItem[];
}

/** Limit of events and items in a group. A transaction has at most 100 actions, and the journal needs a few. */
const maxActions = 90;

/** Takes commands from the queue and decides each of them on the state after the one before. */
export async function formGroup(cell: Cell, loaded: LoadedEntity): Promise<Group> {
  const { queue, context } = cell;
  const entries: GroupEntry[] = [];
  const events: NewEvent[] = [];
  const alsoWrite: GroupItem[] = [];
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
    if (shareKey(alsoWrite, made.alsoWrite)) break;
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
  readonly alsoWrite: readonly GroupItem[];
}

/** Decides one command on this state. */
async function makeEntry(
  cell: Cell,
  ask: PendingAsk,
  state: unknown,
  sequenceNr: number,
): Promise<MadeEntry> {
  const { context, entity } = cell;
  const decidedAt = Math.floor(context.clock.now());
  const nothing = {
    ask,
    events: [],
    atomic: true,
    decidedAt,
    reply: undefined,
    remember: false,
    verify: false,
    state,
  };
  const failed = (error: EntityError, verify = false): MadeEntry => ({
    entry: { ...nothing, error, verify },
    events: [],
    alsoWrite: [],
  });
  const known = ask.maybeKnown ? await firstReply(cell, ask) : undefined;
  if (known instanceof EntityError) return failed(known);
  if (known !== undefined)
    return { entry: { ...nothing, reply: known.reply, error: undefined }, events: [], alsoWrite: [] };
  const decided = decideCommand(entity.definition, ask.command, state, {
    id: entity.address.id,
    now: decidedAt,
    sequenceNr,
    commandId: ask.identified?.commandId,
    newId: context.newId,
  });
  if ("error" in decided) {
    // The state may refuse it because the command was carried out before.
    if (ask.identified === undefined) return failed(decided.error);
    if (ask.maybeKnown) return failed(decided.error, true);
    ask.maybeKnown = true;
    return makeEntry(cell, ask, state, sequenceNr);
  }
  try {
    const remember = ask.identified !== undefined && context.ledger !== undefined;
    // The ledger's item is in the last write: earlier ones would be stored before its condition can fail.
    const atomic = decided.atomic || remember;
    const origin = withMetadata(ask.origin, decided.metadata);
    const entry = { ...nothing, ...decided, atomic, remember, verify: remember, error: undefined };
    return {
      entry,
      events: decided.events.map((event) => writeEvent(entity.definition, event, decidedAt, origin)),
      alsoWrite: [
        ...decided.alsoWrite.map((action, index) => ({ ask, action, index })),
        ...(ask.identified && context.ledger
          ? [{ ask, action: context.ledger.action(ask.identified, decided.reply), index: undefined }]
          : []),
      ],
    };
  } catch (error) {
    if (error instanceof EntityError) return failed(error);
    return failed(definitionFailed(entity.address, "tags", "threw", error));
  }
}

/** Returns the origin with the metadata of the decision, which takes precedence. */
function withMetadata(origin: EventOrigin, metadata: object | undefined): EventOrigin {
  return metadata === undefined
    ? origin
    : { ...origin, metadata: { ...(origin.metadata as object), ...metadata } };
}

/** Returns the reply that the ledger has for a command, or an error if the ledger cannot be read. */
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
    return checkFailed(entity.address, "ledger", error, ask.unknownWrites.length > 0);
  }
}
