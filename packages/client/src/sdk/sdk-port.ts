import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import {
  buildPort,
  CallsInFlight,
  type Clock,
  type Dispatch,
  type DynamoPort,
  type OptionChecks,
  optionCheck,
  type Random,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import { checkOptions } from "../base/check-options.ts";
import { portClosed } from "../base/client-error.ts";
import { createRetryBudget, defaultMaxAttempts, retryLimits } from "../retry/retry-policy.ts";
import { callSdk } from "./call-sdk.ts";
import { streamsClientFor } from "./streams-client-for.ts";

/** Settings of {@link sdkPort}. */
export interface SdkPortOptions {
  /**
   * Answers the four operations of DynamoDB Streams. @default one made when first used, with the region, endpoint,
   * credentials and attempts of the given client; needs `@aws-sdk/client-dynamodb-streams`
   */
  readonly streamsClient?: DynamoDBStreamsClient;
  /** Default deadline of a call in milliseconds, including retries. @default 10,000 */
  readonly deadlineMs?: number;
  /** How often a request is sent at most where this port retries, not the client. @default 10 */
  readonly maxAttempts?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Source of the jitter between attempts. @default the machine's randomness */
  readonly random?: Random;
}

const optionChecks: OptionChecks<SdkPortOptions> = {
  streamsClient: optionCheck.objectWith("send"),
  deadlineMs: optionCheck.milliseconds,
  maxAttempts: optionCheck.integer(1),
  clock: optionCheck.clock,
  random: optionCheck.callback,
};

/**
 * Creates a port over your own SDK client; closing the port leaves the client open. The client retries requests as you
 * configured it, except writes that do harm when applied twice: this port retries those itself, and never once they are in
 * doubt.
 *
 * @example
 * await using port = sdkPort(new DynamoDBClient({ region: "eu-west-1" }));
 */
export function sdkPort(client: DynamoDBClient, options: SdkPortOptions = {}): DynamoPort {
  checkOptions(options, optionChecks);
  const calls = new CallsInFlight(portClosed);
  const streams = streamsClientFor(client, options.streamsClient);
  const { clock = systemClock, random = systemRandom, maxAttempts = defaultMaxAttempts } = options;
  const budget = createRetryBudget();
  const retry = { clock, random, budget, maxAttempts };
  const call = callSdk(client, streams.get, { deadlineMs: options.deadlineMs, retry });
  let closing: Promise<void> | undefined;
  const dispatch: Dispatch = (operation, input, callOptions) =>
    calls.run(() => call(operation, input, callOptions));
  const port = buildPort(dispatch, () => {
    closing ??= calls.close().then(streams.close);
    return closing;
  });
  return {
    ...port,
    retryLimits: retryLimits(budget, maxAttempts),
    // The client measures differences of at least five minutes.
    serverOffsetMs: () => (client.config as Partial<typeof client.config> | undefined)?.systemClockOffset,
  };
}
