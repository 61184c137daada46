import { type Clock, isTablekeepError, type Outcome, systemClock } from "@tablekeep/core";
import { knownOptions } from "../known-options.ts";
import type { History, HistoryEvent } from "./history.ts";

export interface HistoryRecorderOptions {
  /** Tells the times of events. @default the machine's clock */
  readonly clock?: Clock;
}

/** Writes down what actors do and how it ends. */
export interface HistoryRecorder<Operation, Value> {
  /** What happened so far; grows. */
  readonly events: History<Operation, Value>;
  /** Records `operation` around `work`, whose outcome it gives back. A throw is recorded and thrown on. */
  run(actor: string, operation: Operation, work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>>;
  /**
   * The same for work that gives a value or throws: an ambiguous error, and any that is not ours, is `unknown`; one of
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

/** Starts an empty history. */
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
