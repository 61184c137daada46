import { regionOf } from "./http/endpoints.ts";
import { type HttpPortOptions, httpPortOptionChecks } from "./http/http-port-options.ts";
import { optionInvalid } from "./options/check-options.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Fills in from the environment what the options leave open: region and endpoints, as the AWS tools read them. */
export function withEnvironment(options: HttpPortOptions, env: Environment): HttpPortOptions {
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
