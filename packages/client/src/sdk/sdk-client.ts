import type { DynamoDB, DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import type { DynamoDBStreams, DynamoDBStreamsClientConfig } from "@aws-sdk/client-dynamodb-streams";
import { checkPort, type DynamoPort, operationNames, operationTraits } from "@tablekeep/core";
import { optionInvalid } from "../base/check-options.ts";
import { answerWith } from "./answer-command.ts";
import { clientOnPort, portHandler } from "./run-on-port.ts";
import { loadDynamoDb, loadStreams } from "./sdk-commands.ts";

/** Settings of the SDK client; those of a transport have no meaning here. */
export type SdkClientConfig = Omit<
  DynamoDBClientConfig,
  "requestHandler" | "endpoint" | "tls" | "retryStrategy" | "maxAttempts" | "cacheMiddleware"
>;

/** Settings that the SDK requires and that have no effect here. They keep it from reading files and calling services. */
const unusedSettings = {
  region: "us-east-1",
  endpoint: "https://port.invalid",
  credentials: { accessKeyId: "port", secretAccessKey: "port" },
  maxAttempts: 1,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
} as const;

/**
 * Creates a real client of the AWS SDK whose commands are answered by `port`, without a socket. It throws the SDK's own
 * exception classes. Pass it to code that needs a `DynamoDBClient` or a `DynamoDB`: the Document client, paginators, waiters,
 * libraries. Destroying it leaves the port open. Middleware that you add to it runs; the SDK's own (signing, retries, logging) does not.
 *
 * @example
 * const documents = DynamoDBDocumentClient.from(await sdkClient(port));
 */
export async function sdkClient(port: DynamoPort, config: SdkClientConfig = {}): Promise<DynamoDB> {
  checkPort(port, optionInvalid);
  const sdk = await loadDynamoDb();
  const answer = answerWith(port, "dynamodb", { base: sdk.DynamoDBServiceException, exports: sdk });
  const settings: DynamoDBClientConfig = {
    ...unusedSettings,
    accountIdEndpointMode: "disabled",
    ...config,
    requestHandler: portHandler(answer),
  };
  const client = clientOnPort(sdk.DynamoDB, settings, answer, commandsOf(sdk, "dynamodb"));
  ports.set(client, port);
  return client;
}

/** Settings of the SDK client; those of a transport have no meaning here. */
export type SdkStreamsClientConfig = Omit<
  DynamoDBStreamsClientConfig,
  "requestHandler" | "endpoint" | "tls" | "retryStrategy" | "maxAttempts" | "cacheMiddleware"
>;

/**
 * The same as `sdkClient` for DynamoDB Streams: a real `DynamoDBStreamsClient` whose commands are answered by `port`.
 *
 * @example
 * const streams = await sdkStreamsClient(port);
 */
export async function sdkStreamsClient(
  port: DynamoPort,
  config: SdkStreamsClientConfig = {},
): Promise<DynamoDBStreams> {
  checkPort(port, optionInvalid);
  const sdk = await loadStreams();
  const answer = answerWith(port, "streams", { base: sdk.DynamoDBStreamsServiceException, exports: sdk });
  const settings: DynamoDBStreamsClientConfig = {
    ...unusedSettings,
    ...config,
    requestHandler: portHandler(answer),
  };
  const client = clientOnPort(sdk.DynamoDBStreams, settings, answer, commandsOf(sdk, "streams"));
  ports.set(client, port);
  return client;
}

/** Returns the command classes of a service and their operations. */
function commandsOf(sdk: object, service: "dynamodb" | "streams"): Map<unknown, string> {
  const names = operationNames.filter((name) => operationTraits[name].service === service);
  return new Map(names.map((name) => [Reflect.get(sdk, `${name}Command`), name]));
}

/** The ports of the clients that were created here. */
const ports = new WeakMap<object, DynamoPort>();

/** Returns the port that an SDK client runs on; undefined for one that uses a network. */
export function portBehind(client: object): DynamoPort | undefined {
  return ports.get(client);
}
