import * as dynamodb from "@aws-sdk/client-dynamodb";
import { buildPort, DynamoError, type DynamoPort, type Item, operationServices } from "@tablekeep/core";

type AnyCommand = new (input: object) => dynamodb.GetItemCommand;

/** DynamoDB Local through the AWS SDK, without retries: each call is one request. */
export function localPort(endpoint: string): DynamoPort {
  const client = new dynamodb.DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });
  return buildPort(
    async (operation, input, options) => {
      if (operationServices[operation] !== "dynamodb") throw new TypeError(`${operation} is not wired here`);
      const Command = (dynamodb as unknown as Record<string, AnyCommand>)[
        `${operation}Command`
      ] as AnyCommand;
      try {
        const answer = await client.send(
          new Command(input),
          options.signal === undefined ? {} : { abortSignal: options.signal },
        );
        const { $metadata: _, ...output } = answer;
        return output as never;
      } catch (error) {
        throw error instanceof dynamodb.DynamoDBServiceException ? translated(error) : error;
      }
    },
    async () => client.destroy(),
  );
}

function translated(error: dynamodb.DynamoDBServiceException & { Item?: Item }): DynamoError {
  const given = error as { CancellationReasons?: dynamodb.CancellationReason[]; Item?: Item };
  return new DynamoError({
    exception: error.name,
    serviceMessage: error.message,
    httpStatus: error.$metadata.httpStatusCode ?? 400,
    item: given.Item,
    cancellationReasons: given.CancellationReasons,
  });
}
