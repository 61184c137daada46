import type { Clock, LogFields, Logger } from "@tablekeep/core";

const quietMs = 1000;

/** Warns of throttling once a second at most: a throttled table throttles every call, and logs are not free either. */
export function createThrottlingReport(logger: Logger, clock: Clock): (fields: LogFields) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let unsaid = 0;
  return (fields) => {
    const now = clock.monotonic();
    if (now < quietUntil) {
      unsaid += 1;
      return;
    }
    logger.warn("dynamodb is throttling requests", { ...fields, ...(unsaid > 0 && { unsaid }) });
    quietUntil = now + quietMs;
    unsaid = 0;
  };
}
