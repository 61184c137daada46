import { ClientError } from "../client-error.ts";
import type { SdkPortOptions } from "./sdk-port.ts";

const known: Record<keyof SdkPortOptions, true> = {
  streamsClient: true,
  deadlineMs: true,
  maxAttempts: true,
  clock: true,
  random: true,
};

/** Throws for an option that is unknown or of a wrong value. */
export function checkSdkPortOptions(options: SdkPortOptions): void {
  for (const option of Object.keys(options)) {
    if (!Object.hasOwn(known, option))
      throw wrong(option, `is not an option; there are ${Object.keys(known).join(", ")}`);
  }
  if (options.deadlineMs !== undefined && !(options.deadlineMs > 0))
    throw wrong("deadlineMs", "must be a number of milliseconds above 0");
  if (
    options.maxAttempts !== undefined &&
    !(Number.isInteger(options.maxAttempts) && options.maxAttempts > 0)
  )
    throw wrong("maxAttempts", "must be a whole number above 0");
}

function wrong(option: string, reason: string): ClientError<"CLIENT_OPTION_INVALID"> {
  return new ClientError("CLIENT_OPTION_INVALID", `sdkPort: ${option} ${reason}`, { option, reason });
}
