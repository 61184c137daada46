import type { History, HistoryEvent, HistoryOperation } from "./history.ts";

/** The operations of a history in the order in which they were invoked, each with its end. */
export function operationsOf<Operation, Value>(
  history: History<Operation, Value>,
): HistoryOperation<Operation, Value>[] {
  const ends = new Map(history.filter((event) => event.type !== "invoke").map((event) => [event.id, event]));
  return history.flatMap((event) => {
    if (event.type !== "invoke") return [];
    const { id, actor, operation, index: invoked } = event;
    return [{ id, actor, operation, invoked, ...endOf(ends.get(id)) }];
  });
}

function endOf<Operation, Value>(
  end: HistoryEvent<Operation, Value> | undefined,
): Pick<HistoryOperation<Operation, Value>, "ended" | "outcome" | "value" | "error"> {
  const ended = Number.POSITIVE_INFINITY;
  if (end === undefined || end.type === "invoke") return { outcome: "unknown", ended };
  if (end.type === "ok") return { outcome: "ok", ended: end.index, value: end.value };
  return { outcome: end.type, ended: end.type === "unknown" ? ended : end.index, error: end.error };
}
