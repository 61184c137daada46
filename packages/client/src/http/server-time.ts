import { type Clock, isTablekeepError, type Logger, type TablekeepError } from "@tablekeep/core";

/** Signatures are valid for five minutes: a clock that is further off than this needs correction, in milliseconds. */
const tolerableSkewMs = 4 * 60_000;

/** Exceptions for a signature with a wrong time. DynamoDB's own is InvalidSignatureException. */
const skewExceptions: ReadonlySet<string> = new Set([
  "RequestTimeTooSkewed",
  "RequestExpired",
  "RequestInTheFuture",
  "SignatureDoesNotMatch",
]);

/** The time as the server has it. */
export interface ServerTime {
  /** Milliseconds since 1970, corrected. */
  now(): number;
  /** The offset from the machine's clock that requests are signed with, in milliseconds. */
  readonly offsetMs: number;
  /** Records the `date` header of a response. */
  saw(date: string | undefined): void;
  /** By how many milliseconds the server's clock was ahead of the machine's at the latest response that had a date. */
  aheadMs(): number | undefined;
  /**
   * Learns from the `date` header of a rejection; true if the correction is no longer the one that the rejected request was
   * signed with, so a new signature may succeed: another call may have corrected it in the meantime.
   */
  learn(rejection: TablekeepError, date: string | undefined, signedWithMs: number): boolean;
}

/** Starts with the machine's clock as it is. */
export function createServerTime(clock: Clock, logger: Logger): ServerTime {
  let offsetMs = 0;
  let [date, arrivedAt] = ["", 0];
  return {
    now: () => clock.now() + offsetMs,
    get offsetMs() {
      return offsetMs;
    },
    saw(seen) {
      if (seen !== undefined) [date, arrivedAt] = [seen, clock.now()];
    },
    aheadMs() {
      const ahead = Date.parse(date) - arrivedAt;
      return Number.isNaN(ahead) ? undefined : ahead;
    },
    learn(rejection, given, signedWithMs) {
      if (!mayMeanSkew(rejection) || given === undefined) return false;
      const serverMs = Date.parse(given);
      const skewMs = serverMs - (clock.now() + offsetMs);
      if (!(Math.abs(skewMs) > tolerableSkewMs)) return offsetMs !== signedWithMs;
      offsetMs += skewMs;
      logger.warn("this machine's clock differs from the server's; signatures are corrected", { offsetMs });
      return true;
    },
  };
}

function mayMeanSkew(rejection: TablekeepError): boolean {
  if (!isTablekeepError(rejection) || !("exception" in rejection.details)) return false;
  return rejection.kind === "denied" || skewExceptions.has(rejection.details.exception as string);
}
