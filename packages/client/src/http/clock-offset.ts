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
  /** Learns from the `date` header of a refusal; true if the correction changed, so that a new signature may pass. */
  learn(refusal: TablekeepError, date: string | undefined): boolean;
}

/** Starts with the machine's clock as it is. */
export function createServerTime(clock: Clock, logger: Logger): ServerTime {
  let offsetMs = 0;
  return {
    now: () => clock.now() + offsetMs,
    learn(refusal, date) {
      if (!mayMeanSkew(refusal) || date === undefined) return false;
      const serverMs = Date.parse(date);
      const skewMs = serverMs - (clock.now() + offsetMs);
      if (!(Math.abs(skewMs) > tolerableSkewMs)) return false;
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
