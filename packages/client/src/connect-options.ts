import { type OptionCheck, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions, optionInvalid } from "./base/check-options.ts";
import { type HttpPortOptions, httpPortOptionChecks } from "./http/http-port-options.ts";
import type { SdkPortOptions, sdkPort } from "./sdk/sdk-port.ts";

/** Options of {@link connect}: the settings of a connection, or an SDK client that has them. */
export interface ConnectOptions extends HttpPortOptions {
  /** Your own `DynamoDBClient`: calls go through it, and its settings apply. @default none: the built-in HTTP client */
  readonly client?: Parameters<typeof sdkPort>[0];
  /** The `DynamoDBStreamsClient` that goes with `client`. @default one made when first used */
  readonly streamsClient?: SdkPortOptions["streamsClient"];
  /** The environment that `AWS_REGION` and the like are read from. @default the process's */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const environment: OptionCheck = (value) =>
  typeof value === "object" && value !== null ? undefined : "must be an object of strings";

/** A check for each option of `connect`. */
export const connectOptionChecks: OptionChecks<ConnectOptions> = {
  ...httpPortOptionChecks,
  client: optionCheck.objectWith("send"),
  streamsClient: optionCheck.objectWith("send"),
  env: environment,
};

/** The options that may be combined with `client`; the client has its own settings for the rest. */
const besideClient: ReadonlySet<string> = new Set([
  "client",
  "streamsClient",
  "deadlineMs",
  "maxAttempts",
  "logger",
  "tracing",
  "clock",
  "random",
  "env",
] satisfies (keyof ConnectOptions)[]);

/** Throws `CLIENT_OPTION_INVALID` for the first option that does not exist, does not fit or does not go with `client`. */
export function checkConnectOptions(options: ConnectOptions): void {
  checkOptions(options, connectOptionChecks);
  if (options.client === undefined) {
    if (options.streamsClient !== undefined) throw optionInvalid("streamsClient", "needs the option client");
    return;
  }
  for (const [option, value] of Object.entries(options)) {
    if (value !== undefined && !besideClient.has(option))
      throw optionInvalid(option, "has no effect together with client: set it on that client");
  }
}
