/** The examples of `docs/reference/sdk.md`, word for word, so that they compile and run. */
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { ListStreamsCommand } from "@aws-sdk/client-dynamodb-streams";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { DynamoPort, Item, PutItemInput, Stream } from "@tablekeep/core";
import { sdkClient, sdkPort, sdkStreamsClient } from "../src/index.ts";

type Settings = Required<Pick<DynamoDBClientConfig, "endpoint" | "credentials">>;

export async function portOverYourClient(
  { endpoint, credentials }: Settings,
  TableName: string,
): Promise<Item | undefined> {
  const client = new DynamoDBClient({ region: "eu-west-1", endpoint, credentials });
  await using port = sdkPort(client, { deadlineMs: 5_000 });
  const { Item } = await port.getItem({ TableName, Key: { id: { S: "1" } } });
  return Item;
}

export async function clientOverAnyPort(
  port: DynamoPort,
  TableName: string,
): Promise<Record<string, unknown> | undefined> {
  const client = await sdkClient(port);
  const documents = DynamoDBDocumentClient.from(client);
  await documents.send(new PutCommand({ TableName, Item: { id: "1", tags: new Set(["new"]) } }));
  const { Item } = await documents.send(new GetCommand({ TableName, Key: { id: "1" } }));
  return Item;
}

export async function exceptionsOfTheSdk(client: DynamoDBClient, put: PutItemInput): Promise<unknown> {
  try {
    await client.send(new PutItemCommand({ ...put, ConditionExpression: "attribute_not_exists(id)" }));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.$metadata.httpStatusCode;
  }
  return undefined;
}

export async function streamsOverAnyPort(port: DynamoPort, TableName: string): Promise<Stream[] | undefined> {
  const streams = await sdkStreamsClient(port);
  const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
  return Streams;
}
