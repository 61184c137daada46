import {
  type Clock,
  checkPort,
  type DynamoPort,
  isAmbiguous,
  isDynamoError,
  isTablekeepError,
  type LogFields,
  type Logger,
  type OperationName,
  optionCheck,
  silentLogger,
  systemClock,
  tablesOf,
  wrapPort,
} from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../base/check-options.ts";
import { safeLogger } from "../base/safe-logger.ts";
import { observeCall } from "./observe-call.ts";

/** Options of {@link logged}. */
export interface LoggedOptions {
  /** Log every request at debug level, with its operation, table, duration and result. @default false */
  readonly tracing?: boolean;
  /** @default the machine's own */
  readonly clock?: Clock;
}

/**
 * Logs what an operator should know about a port: a warning for throttling (at most one per second) and for each write that
 * may have been applied although its call failed, and with `tracing` every request at debug level.
 *
 * Log lines contain operation, table, duration, attempts, error code and request id. They never contain keys, items,
 * expressions, statements, credentials or messages: DynamoDB may quote a value in a message. With `silentLogger`, returns the
 * port itself.
 *
 * @example
 * const port = logged(connect(), console, { tracing: true });
 */
export function logged(port: DynamoPort, given: Logger, options: LoggedOptions = {}): DynamoPort {
  checkPort(port, optionInvalid);
  checkOptions(options, { tracing: optionCheck.boolean, clock: optionCheck.clock });
  const reason = optionCheck.logger(given);
  if (reason !== undefined) throw optionInvalid("logger", reason);
  if (given === silentLogger) return port;
  const logger = safeLogger(given);
  const { tracing = false, clock = systemClock } = options;
  const reportThrottling = createThrottlingReport(logger, clock);
  return wrapPort(port, async (operation, input, callOptions, next) => {
    const startedAt = clock.monotonic();
    const where = () => ({ operation, ...tableField(operation, input) });
    const trace = (retries: number, end: LogFields) => {
      if (!tracing) return;
      const durationMs = Math.round((clock.monotonic() - startedAt) * 1000) / 1000;
      logger.debug(operation, { ...where(), durationMs, attempts: retries + 1, ...end });
    };
    const reportIfThrottled = (error: unknown) => {
      if (isTablekeepError(error) && error.kind === "throttled")
        reportThrottling({ ...where(), ...errorFields(error) });
    };
    return observeCall(callOptions, (watched) => next(operation, input, watched), {
      onRetry: reportIfThrottled,
      onSuccess: (_output, retries) => trace(retries, { outcome: "ok" }),
      onFailure: (error, retries) => {
        const fields = errorFields(error);
        reportIfThrottled(error);
        if (isAmbiguous(error)) {
          const message = "dynamodb write may have been applied although its call failed";
          logger.warn(message, { ...where(), attempts: retries + 1, ...fields });
        }
        trace(retries, fields);
      },
    });
  });
}

function tableField(operation: OperationName, input: object): LogFields {
  const tables = tablesOf(operation, input);
  return tables.length === 0 ? {} : { table: tables.join(", ") };
}

/** The loggable part of an error: its code, its kind and DynamoDB's request id. */
function errorFields(error: unknown): LogFields {
  if (!isTablekeepError(error)) return { outcome: "failed", code: "UNKNOWN" };
  const requestId = isDynamoError(error) ? error.details.requestId : undefined;
  return { outcome: error.kind, code: error.code, ...(requestId !== undefined && { requestId }) };
}

const quietMs = 1000;

/** Warns of throttling at most once per second: a throttled table throttles every call, and logs are not free either. */
function createThrottlingReport(logger: Logger, clock: Clock): (fields: LogFields) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (fields) => {
    const now = clock.monotonic();
    if (now < quietUntil) {
      suppressed += 1;
      return;
    }
    logger.warn("dynamodb is throttling requests", { ...fields, ...(suppressed > 0 && { suppressed }) });
    quietUntil = now + quietMs;
    suppressed = 0;
  };
}
