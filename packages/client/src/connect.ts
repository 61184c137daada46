import type { DynamoPort } from "@tablekeep/core";
import { optionInvalid } from "./base/check-options.ts";
import { type ConnectOptions, checkConnectOptions } from "./connect-options.ts";
import { regionOf } from "./http/endpoints.ts";
import { httpPort } from "./http/http-port.ts";
import { type HttpPortOptions, httpPortOptionChecks } from "./http/http-port-options.ts";
import { profileRegion } from "./http/profile-region.ts";
import { logged } from "./observe/logged.ts";
import { sdkPort } from "./sdk/sdk-port.ts";

/**
 * Creates a port to DynamoDB: on AWS (`region`), on any server that speaks its protocol (`endpoint`), or through your own SDK
 * client (`client`). Options that are missing come from the environment, then from the defaults; a missing region also from the
 * shared files of the AWS tools. No connection is opened before the first call; wrong options throw `CLIENT_OPTION_INVALID` here.
 *
 * @example
 * await using port = connect({ region: "eu-west-1" });
 * const { Item } = await port.getItem({ TableName: "carts", Key: { id: { S: "1" } } });
 */
export function connect(options: ConnectOptions = {}): DynamoPort {
  checkConnectOptions(options);
  const { client, streamsClient, env = process.env, ...http } = options;
  if (client === undefined) return httpPort(withEnvironment(http, env));
  const { deadlineMs, maxAttempts, clock, random, logger, tracing } = options;
  const port = sdkPort(client, {
    ...(streamsClient && { streamsClient }),
    ...(deadlineMs && { deadlineMs }),
    ...(maxAttempts && { maxAttempts }),
    ...(clock && { clock }),
    ...(random && { random }),
  });
  return logger === undefined ? port : logged(port, logger, { tracing, clock });
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads region and endpoints that the options do not set from the environment and the profile, like the AWS tools. */
function withEnvironment(options: HttpPortOptions, env: Environment): HttpPortOptions {
  const endpoint =
    options.endpoint ?? lookUp(env, "endpoint", ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"]);
  // An AWS host name contains its region; a signature for another one would be rejected.
  const region =
    options.region ??
    regionOf(endpoint) ??
    lookUp(env, "region", ["AWS_REGION", "AWS_DEFAULT_REGION"]) ??
    regionOfProfile(env);
  // An endpoint in the options serves both services.
  const streamsEndpoint =
    options.streamsEndpoint ??
    (options.endpoint === undefined
      ? lookUp(env, "streamsEndpoint", ["AWS_ENDPOINT_URL_DYNAMODB_STREAMS"])
      : undefined);
  return { ...options, region, endpoint, streamsEndpoint };
}

function regionOfProfile(env: Environment): string | undefined {
  const found = profileRegion(env);
  const reason = found && httpPortOptionChecks.region(found.region);
  if (reason !== undefined) throw optionInvalid("region", `in ${found?.file} ${reason}`);
  return found?.region;
}

/** Returns the first of these variables that is set and not empty, checked like the option that it replaces. */
function lookUp(
  env: Environment,
  option: "region" | "endpoint" | "streamsEndpoint",
  variables: readonly string[],
): string | undefined {
  const variable = variables.find((name) => env[name]);
  if (variable === undefined) return undefined;
  const reason = httpPortOptionChecks[option](env[variable]);
  if (reason !== undefined) throw optionInvalid(variable, `of the environment ${reason}`);
  return env[variable];
}
