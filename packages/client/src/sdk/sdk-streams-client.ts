import type { DynamoDBStreamsClient, DynamoDBStreamsClientConfig } from "@aws-sdk/client-dynamodb-streams";
import { type DynamoPort, operationNames, operationTraits } from "@tablekeep/core";
import { answerWith } from "./answer-command.ts";
import { notePort } from "./port-behind.ts";
import { portHandler, runOnPort, type SdkClient } from "./run-on-port.ts";
import { unusedSettings } from "./sdk-client.ts";
import { loadStreams } from "./sdk-commands.ts";

/** Settings of the SDK client; those of a transport have no meaning here. */
export type SdkStreamsClientConfig = Omit<
  DynamoDBStreamsClientConfig,
  "requestHandler" | "endpoint" | "tls" | "retryStrategy" | "maxAttempts" | "cacheMiddleware"
>;

/** The same as `sdkClient` for DynamoDB Streams: a real `DynamoDBStreamsClient` whose commands are answered by `port`. */
export async function sdkStreamsClient(
  port: DynamoPort,
  config: SdkStreamsClientConfig = {},
): Promise<DynamoDBStreamsClient> {
  const sdk = await loadStreams();
  const answer = answerWith(port, "streams", { base: sdk.DynamoDBStreamsServiceException, exports: sdk });
  const client = new sdk.DynamoDBStreamsClient({
    ...unusedSettings,
    ...config,
    requestHandler: portHandler(answer),
  });
  const direct = new Map(
    operationNames
      .filter((name) => operationTraits[name].service === "streams")
      .map((name) => [Reflect.get(sdk, `${name}Command`), name]),
  );
  runOnPort(client as unknown as SdkClient, new sdk.ListStreamsCommand() as never, answer, direct);
  notePort(client, port);
  return client;
}
