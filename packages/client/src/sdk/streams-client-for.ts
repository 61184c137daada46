import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { DynamoDBStreamsClient, DynamoDBStreamsClientConfig } from "@aws-sdk/client-dynamodb-streams";
import { portBehind, sdkStreamsClient } from "./sdk-client.ts";
import { loadStreams } from "./sdk-commands.ts";

/** The client for DynamoDB Streams that belongs to a client for DynamoDB. */
interface StreamsClient {
  /** Creates it on first use, unless it was given. */
  readonly get: () => Promise<DynamoDBStreamsClient>;
  /** Ends it if it was made here. */
  readonly close: () => Promise<void>;
}

/** `given`, or one with the same settings as `client`, over the same port if `client` uses one. */
export function streamsClientFor(
  client: DynamoDBClient,
  given: DynamoDBStreamsClient | undefined,
): StreamsClient {
  let made: Promise<DynamoDBStreamsClient> | undefined;
  const make = async () => {
    const port = portBehind(client);
    if (port !== undefined) return sdkStreamsClient(port);
    const { DynamoDBStreamsClient } = await loadStreams();
    return new DynamoDBStreamsClient(sameSettings(client));
  };
  return {
    get: async () => {
      if (given !== undefined) return given;
      made ??= make();
      return made;
    },
    close: async () => (await made?.catch(() => undefined))?.destroy(),
  };
}

function sameSettings({ config }: DynamoDBClient): DynamoDBStreamsClientConfig {
  const { endpoint, region, credentials, maxAttempts, tls } = config;
  return {
    region,
    credentials,
    maxAttempts,
    tls,
    ...(endpoint !== undefined && { endpoint }),
  };
}
