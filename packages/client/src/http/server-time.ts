import { type Clock, isTablekeepError, type Logger, type TablekeepError } from "@tablekeep/core";

/** Signatures are valid for five minutes: a clock that is further off than this needs correction, in milliseconds. */
const tolerableSkewMs = 4 * 60_000;

/** Refusals by which servers say that a signature's time is wrong; DynamoDB itself says InvalidSignatureException. */
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
  /** The offset from the machine's clock, in milliseconds. */
  readonly offsetMs: number;
  /**
   * Learns from the `date` header of a refusal; true if the correction is no longer the one that the refused request was
   * signed with, so that a new signature may pass: another call may have learned meanwhile.
   */
  learn(refusal: TablekeepError, date: string | undefined, signedWithMs: number): boolean;
}

/** Starts with the machine's clock as it is. */
export function createServerTime(clock: Clock, logger: Logger): ServerTime {
  let offsetMs = 0;
  return {
    now: () => clock.now() + offsetMs,
    get offsetMs() {
      return offsetMs;
    },
    learn(refusal, date, signedWithMs) {
      if (!mayMeanSkew(refusal) || date === undefined) return false;
      const serverMs = Date.parse(date);
      const skewMs = serverMs - (clock.now() + offsetMs);
      if (!(Math.abs(skewMs) > tolerableSkewMs)) return offsetMs !== signedWithMs;
      offsetMs += skewMs;
      logger.warn("this machine's clock differs from the server's; signatures are corrected", { offsetMs });
      return true;
    },
  };
}

function mayMeanSkew(refusal: TablekeepError): boolean {
  if (!isTablekeepError(refusal) || !("exception" in refusal.details)) return false;
  return refusal.kind === "denied" || skewExceptions.has(refusal.details.exception as string);
}
