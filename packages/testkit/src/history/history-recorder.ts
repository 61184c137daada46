import { type Clock, isTablekeepError, type Outcome, systemClock } from "@tablekeep/core";
import { knownOptions } from "../base/testkit-error.ts";

/**
 * One thing that happened in a run, as plain data that can be printed, stored and checked later. Every operation has one
 * `invoke` and at most one end; one without an end was cut off, and counts as `unknown`.
 */
export type HistoryEvent<Operation, Value> =
  | (HistoryMoment & { readonly type: "invoke"; readonly operation: Operation })
  | (HistoryMoment & { readonly type: "ok"; readonly value: Value })
  | (HistoryMoment & { readonly type: "rejected"; readonly error: string })
  | (HistoryMoment & { readonly type: "conflict"; readonly error: string })
  | (HistoryMoment & { readonly type: "unknown"; readonly error: string });

/** When an event happened, whose it is and which operation it belongs to. */
export interface HistoryMoment {
  /** Its place in the history, from 0: the real-time order. */
  readonly index: number;
  /** Milliseconds by the recorder's monotonic clock. */
  readonly at: number;
  /** The actor. It may have several operations open at once. */
  readonly actor: string;
  /** The number of its operation, from 1. */
  readonly id: number;
}

/** A whole run. */
export type History<Operation, Value> = readonly HistoryEvent<Operation, Value>[];

/** One operation with both its ends. */
export interface HistoryOperation<Operation, Value> {
  readonly id: number;
  readonly actor: string;
  readonly operation: Operation;
  /** The index of its `invoke`. */
  readonly invoked: number;
  /** The index of its end; infinity if it has none, or if it may take effect at any later time. */
  readonly ended: number;
  readonly outcome: "ok" | "rejected" | "conflict" | "unknown";
  /** The result, if it is `ok`. */
  readonly value?: Value;
  /** The code of its error, if it is not. */
  readonly error?: string;
}

export interface HistoryRecorderOptions {
  /** The clock for the times of events. @default the machine's clock */
  readonly clock?: Clock;
}

/** Records the operations of actors and their outcomes. */
export interface HistoryRecorder<Operation, Value> {
  /** The operations so far; grows. */
  readonly events: History<Operation, Value>;
  /**
   * Records `operation` around `work`, and returns its outcome. A thrown error is recorded and thrown again.
   *
   * @example
   * const outcome = await history.run("writer", "append", () => writer.append({ payload: "a" }));
   */
  run(actor: string, operation: Operation, work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>>;
  /**
   * The same for work that returns a value or throws: an ambiguous error, and any that is not ours, is `unknown`; one of
   * kind `conflict` is a conflict; every other is `rejected`.
   */
  call(actor: string, operation: Operation, work: () => Promise<Value>): Promise<Value>;
}

type EndOf<Operation, Value> =
  HistoryEvent<Operation, Value> extends infer Event
    ? Event extends { type: "invoke" }
      ? never
      : Omit<Event, "index" | "at" | "actor" | "id">
    : never;

/**
 * Starts an empty history.
 *
 * @example
 * const history = historyRecorder<string, string | undefined>();
 * await history.call("reader", "get a", async () => {
 *   const { Item } = await port.getItem({ TableName: "t", Key: { pk: { S: "a" } } });
 *   return Item?.["value"]?.S;
 * });
 */
export function historyRecorder<Operation, Value>(
  options: HistoryRecorderOptions = {},
): HistoryRecorder<Operation, Value> {
  knownOptions(options, ["clock"]);
  const clock = options.clock ?? systemClock;
  const events: HistoryEvent<Operation, Value>[] = [];
  let ids = 0;
  const add = (actor: string, id: number, event: object) => {
    const moment = { index: events.length, at: clock.monotonic(), actor, id };
    events.push({ ...moment, ...event } as HistoryEvent<Operation, Value>);
  };
  const record = async <Result>(
    actor: string,
    operation: Operation,
    work: () => Promise<Result>,
    endOf: (result: Result) => EndOf<Operation, Value>,
  ): Promise<Result> => {
    const id = ++ids;
    add(actor, id, { type: "invoke", operation });
    const result = await work().catch((error: unknown) => {
      add(actor, id, endOfThrow(error));
      throw error;
    });
    add(actor, id, endOf(result));
    return result;
  };
  return {
    events,
    run: (actor, operation, work) => record(actor, operation, work, endOfOutcome),
    call: (actor, operation, work) => record(actor, operation, work, (value) => ({ type: "ok", value })),
  };
}

function endOfOutcome<Operation, Value>(outcome: Outcome<Value>): EndOf<Operation, Value> {
  if (outcome.kind === "ok") return { type: "ok", value: outcome.value };
  return { type: outcome.kind, error: outcome.error.code };
}

function endOfThrow(error: unknown): { type: "rejected" | "conflict" | "unknown"; error: string } {
  if (!isTablekeepError(error))
    return { type: "unknown", error: error instanceof Error ? error.name : String(error) };
  if (error.ambiguous) return { type: "unknown", error: error.code };
  return { type: error.kind === "conflict" ? "conflict" : "rejected", error: error.code };
}

/**
 * Returns the operations of a history in the order in which they were invoked, each with its end.
 *
 * @example
 * for (const { actor, operation, outcome } of operationsOf(history.events)) console.log(actor, operation, outcome);
 */
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
