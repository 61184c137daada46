import type { GroupRejected } from "../apply/commit.ts";
import { type EventActions, maxActions, type NotAdded } from "../apply/group.ts";
import { ProjectionError } from "../projection-error.ts";

/** The event that a handler was called for. */
interface HandledEvent {
  readonly persistenceId: string;
  readonly sequenceNr: number;
}

/** Makes the error of a handler whose actions for one event do not fit into a transaction. */
export function actionsUnsuitable(
  { name }: { readonly name: string },
  event: HandledEvent,
  { actions }: EventActions,
  notAdded: NotAdded,
): ProjectionError {
  const { persistenceId, sequenceNr } = event;
  const what = handlerOf(name, event);
  if (notAdded.reason === "overlap") {
    const { table } = notAdded;
    const message = `${what} has two actions on one item of table ${table} that cannot be combined (put the condition on the first of them, or use one action)`;
    const details = { name, persistenceId, sequenceNr, table };
    return new ProjectionError("PROJECTION_ACTIONS_OVERLAP", message, details);
  }
  const excess =
    notAdded.reason === "bytes"
      ? "writes more than the 4 MB that fit into a transaction"
      : `has ${actions.length} actions, but a transaction accepts at most ${maxActions} besides those of the projection`;
  const message = `${what} ${excess} (write fewer items per event, combine several into one, or use the mode at-least-once)`;
  return new ProjectionError("PROJECTION_EVENT_TOO_LARGE", message, {
    name,
    persistenceId,
    sequenceNr,
    actions: actions.length,
    maximum: maxActions,
  });
}

/** Makes the error of a handler whose actions for one event are rejected by DynamoDB. */
export function actionRejected(
  { name }: { readonly name: string },
  event: HandledEvent,
  { reason, table, isCondition }: GroupRejected,
): ProjectionError<"PROJECTION_ACTION_REJECTED"> {
  const { persistenceId, sequenceNr } = event;
  const where = table === undefined ? "" : ` on table ${table}`;
  const advice = isCondition ? "the item is not as the condition requires" : "correct the handler";
  const message = `${handlerOf(name, event)} has an action${where} that DynamoDB rejects: ${reason} (${advice})`;
  return new ProjectionError("PROJECTION_ACTION_REJECTED", message, {
    name,
    persistenceId,
    sequenceNr,
    ...(table !== undefined && { table }),
    reason,
  });
}

function handlerOf(name: string, { persistenceId, sequenceNr }: HandledEvent): string {
  return `the handler of projection ${name}, for event ${sequenceNr} of ${persistenceId},`;
}
