import type { DynamoPort } from "@tablekeep/core";
import { optionInvalid } from "./base/check-options.ts";
import { type ConnectOptions, checkConnectOptions } from "./connect-options.ts";
import { regionOf } from "./http/endpoints.ts";
import { httpPort } from "./http/http-port.ts";
import { type HttpPortOptions, httpPortOptionChecks } from "./http/http-port-options.ts";
import { logged } from "./observe/logged.ts";
import { sdkPort } from "./sdk/sdk-port.ts";

/**
 * A port to DynamoDB: on AWS (`region`), on any server that speaks its protocol (`endpoint`), or through an SDK client of
 * yours (`client`). What is not given comes from the environment, then from the defaults. Nothing is opened before the
 * first call; wrong options throw `CLIENT_OPTION_INVALID` here.
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

/** Fills in from the environment what the options leave open: region and endpoints, as the AWS tools read them. */
function withEnvironment(options: HttpPortOptions, env: Environment): HttpPortOptions {
  const endpoint =
    options.endpoint ?? lookUp(env, "endpoint", ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"]);
  // A host of AWS names its region; signing for another one would never be accepted.
  const region =
    options.region ?? regionOf(endpoint) ?? lookUp(env, "region", ["AWS_REGION", "AWS_DEFAULT_REGION"]);
  // An endpoint that was given answers for both services.
  const streamsEndpoint =
    options.streamsEndpoint ??
    (options.endpoint === undefined
      ? lookUp(env, "streamsEndpoint", ["AWS_ENDPOINT_URL_DYNAMODB_STREAMS"])
      : undefined);
  return { ...options, region, endpoint, streamsEndpoint };
}

/** The first of these variables that is set and not empty, checked as the option that it stands in for. */
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
