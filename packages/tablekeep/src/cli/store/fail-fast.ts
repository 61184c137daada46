import { type DynamoPort, isTablekeepError, wrapPort } from "@tablekeep/core";

/** Attempts of the first call. The waits between them, which double from 25 ms, take at most 1.6 seconds. */
const firstAttempts = 7;

/**
 * A port that reports within two seconds that nothing listens at an address: usually the address is wrong, or its server is not running. Later calls then
 * have one attempt each. Once the server has sent a response, calls are retried as usual.
 */
export function failFastUntilAnswered(port: DynamoPort): DynamoPort {
  let state: "new" | "unreachable" | "answered" = "new";
  const limited = (maxAttempts: number) =>
    state === "answered" ? maxAttempts : Math.min(maxAttempts, state === "new" ? firstAttempts : 1);
  const wrapped = wrapPort(port, async (operation, input, options, next) => {
    const { maxAttempts = Number.POSITIVE_INFINITY } = options;
    try {
      const output = await next(
        operation,
        input,
        state === "answered" ? options : { ...options, maxAttempts: limited(maxAttempts) },
      );
      state = "answered";
      return output;
    } catch (error) {
      if (state !== "answered" && isTablekeepError(error))
        state = error.code === "CLIENT_UNREACHABLE" ? "unreachable" : "answered";
      throw error;
    }
  });
  const { retryLimits } = port;
  if (retryLimits === undefined) return wrapped;
  const { maxAttempts, spend, refund } = retryLimits;
  return {
    ...wrapped,
    retryLimits: {
      get maxAttempts() {
        return limited(maxAttempts);
      },
      spend,
      refund,
    },
  };
}
