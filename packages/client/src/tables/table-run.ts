import {
  type CallOptions,
  type Clock,
  checkPort,
  type DynamoPort,
  isDynamoError,
  type OptionChecks,
  optionCheck,
  sleep,
  systemClock,
  type TableDescription,
  type TablekeepError,
} from "@tablekeep/core";
import { optionInvalid } from "../base/check-options.ts";
import { ClientError, isClientError } from "../base/client-error.ts";
import { defaultDeadlineMs, startDeadline } from "../retry/deadline.ts";
import type { TableSpec } from "./table-spec.ts";

/** Options of every table function. */
export interface TableOptions {
  /** Milliseconds after which the call ends. @default 10,000 to check, 120,000 to ensure */
  readonly deadlineMs?: number;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
  /** @default the machine's own */
  readonly clock?: Clock;
}

/** Checks of the options that all of them share. */
export const tableOptionChecks: OptionChecks<TableOptions> = {
  deadlineMs: optionCheck.milliseconds,
  signal: optionCheck.signal,
  clock: optionCheck.clock,
};

/** One call on a table: its port, its specification and the time it has. */
export interface TableRun {
  readonly port: DynamoPort;
  readonly spec: TableSpec;
  /** For one request: a part of the time that is left, so that one hung request does not use it all. */
  callOptions(): CallOptions;
  /**
   * Waits a little, longer each time. At the deadline throws `CLIENT_TABLE_NOT_READY` with what was waited for and, as its
   * cause, the last error that made it wait.
   */
  wait(status: string, reason?: TablekeepError): Promise<void>;
  /** The reason for the last wait, with the error that caused it; undefined before the first wait. */
  waitedFor(): { readonly status: string; readonly reason: TablekeepError | undefined } | undefined;
  /** Milliseconds since the start. */
  elapsedMs(): number;
}

const firstWaitMs = 25;
const maxWaitMs = 2000;

/** Starts the time of a call on a table. */
export function startTableRun(port: DynamoPort, spec: TableSpec, options: TableOptions): TableRun {
  checkPort(port, optionInvalid);
  const { clock = systemClock, deadlineMs = defaultDeadlineMs, signal } = options;
  const deadline = startDeadline(clock, { deadlineMs, signal });
  const startedAt = clock.monotonic();
  let waits = 0;
  let awaited: ReturnType<TableRun["waitedFor"]>;
  return {
    port,
    spec,
    waitedFor: () => awaited,
    elapsedMs: () => clock.monotonic() - startedAt,
    callOptions: () => ({ signal, deadlineMs: Math.min(deadline.remainingMs(), defaultDeadlineMs) }),
    async wait(status, reason) {
      awaited = { status, reason };
      const ms = Math.min(maxWaitMs, firstWaitMs * 2 ** waits++);
      if (ms >= deadline.remainingMs()) throw notReady(spec.name, status, `within ${deadlineMs} ms`, reason);
      await sleep(clock, ms, signal).catch(() => {});
      try {
        deadline.check();
      } catch (error) {
        if (!isClientError(error, "CLIENT_DEADLINE_EXCEEDED")) throw error;
        throw notReady(spec.name, status, `within ${deadlineMs} ms`, reason ?? error);
      }
    },
  };
}

/** The table as DynamoDB describes it; undefined where there is none. */
export async function findTable(run: TableRun): Promise<TableDescription | undefined> {
  try {
    const { Table } = await run.port.describeTable({ TableName: run.spec.name }, run.callOptions());
    return Table;
  } catch (error) {
    if (isDynamoError(error, "ResourceNotFoundException")) return undefined;
    const awaited = run.waitedFor();
    if (awaited === undefined || !isClientError(error, "CLIENT_DEADLINE_EXCEEDED")) throw error;
    throw notReady(run.spec.name, awaited.status, "within the deadline", awaited.reason ?? error);
  }
}

/** Returns the error for a table that cannot be used, now or before the deadline. */
export function notReady(
  table: string,
  status: string,
  when: string,
  cause?: unknown,
): ClientError<"CLIENT_TABLE_NOT_READY"> {
  const advice = adviceFor.get(status) ?? "wait until it is ACTIVE";
  const message = isDynamoError(cause)
    ? `table ${table} is not usable ${when}: ${status}; ${cause.message}`
    : `table ${table} is not usable ${when}: ${status}; ${advice}`;
  return new ClientError("CLIENT_TABLE_NOT_READY", message, { table, status }, { cause });
}

const adviceFor: ReadonlyMap<string, string> = new Map([
  ["DELETING", "use another name, or wait until it is deleted"],
  ["DELETED", "create it again"],
]);
