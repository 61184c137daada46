import type { DynamoDBClient, DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { type DynamoPort, operationNames, operationTraits } from "@tablekeep/core";
import { answerWith } from "./answer-command.ts";
import { notePort } from "./port-behind.ts";
import { portHandler, runOnPort, type SdkClient } from "./run-on-port.ts";
import { loadDynamoDb } from "./sdk-commands.ts";

/** Settings of the SDK client; those of a transport have no meaning here. */
export type SdkClientConfig = Omit<
  DynamoDBClientConfig,
  "requestHandler" | "endpoint" | "tls" | "retryStrategy" | "maxAttempts" | "cacheMiddleware"
>;

/** What the SDK wants to know and nobody needs where nothing is sent. Keeps it from looking at files and services. */
export const unusedSettings = {
  region: "us-east-1",
  endpoint: "https://port.invalid",
  credentials: { accessKeyId: "port", secretAccessKey: "port" },
  maxAttempts: 1,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
} as const;

/**
 * A real client of the AWS SDK whose commands are answered by `port`, without a socket. It throws the SDK's own exception
 * classes. Hand it to code that wants a `DynamoDBClient`: the Document client, paginators, waiters, libraries. Destroying
 * it leaves the port open. Middleware that you add to it runs; the SDK's own (signing, retries, logging) does not.
 */
export async function sdkClient(port: DynamoPort, config: SdkClientConfig = {}): Promise<DynamoDBClient> {
  const sdk = await loadDynamoDb();
  const answer = answerWith(port, "dynamodb", { base: sdk.DynamoDBServiceException, exports: sdk });
  const client = new sdk.DynamoDBClient({
    ...unusedSettings,
    accountIdEndpointMode: "disabled",
    ...config,
    requestHandler: portHandler(answer),
  });
  const direct = new Map(
    operationNames
      .filter((name) => operationTraits[name].service === "dynamodb")
      .map((name) => [Reflect.get(sdk, `${name}Command`), name]),
  );
  runOnPort(client as unknown as SdkClient, new sdk.ListTablesCommand() as never, answer, direct);
  notePort(client, port);
  return client;
}
