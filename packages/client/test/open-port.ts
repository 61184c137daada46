import * as dynamodb from "@aws-sdk/client-dynamodb";
import { buildPort, DynamoError, type DynamoPort } from "@tablekeep/core";

/** The port through which the tests of this room reach DynamoDB Local. */
export function openPort(endpoint: string): DynamoPort {
  const client = new dynamodb.DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const commands = dynamodb as unknown as Record<string, new (input: unknown) => never>;
  return buildPort(
    async (operation, input, options) => {
      const Command = commands[`${operation}Command`];
      if (Command === undefined) throw new TypeError(`no command ${operation}`);
      try {
        const answer: object = await client.send(new Command(input), {
          ...(options.signal && { abortSignal: options.signal }),
        });
        const { $metadata: _, ...output } = answer as { $metadata: unknown };
        return output as never;
      } catch (error) {
        if (!(error instanceof dynamodb.DynamoDBServiceException)) throw error;
        throw new DynamoError({ exception: error.name, serviceMessage: error.message, operation });
      }
    },
    async () => client.destroy(),
  );
}
