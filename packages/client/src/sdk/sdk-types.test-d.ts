/** The SDK's types are assignable to a port's types and back, without casts. */
import type {
  DynamoDB,
  DynamoDBClient,
  DynamoDBClientConfig,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  QueryCommandInput,
  QueryCommandOutput,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
} from "@aws-sdk/client-dynamodb";
import type { DynamoDBStreamsClient, GetRecordsCommandOutput } from "@aws-sdk/client-dynamodb-streams";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { DynamoPort, Item } from "@tablekeep/core";
import { connect, httpPort, sdkClient, sdkPort, sdkStreamsClient } from "../index.ts";

declare const client: DynamoDBClient;
declare const streamsClient: DynamoDBStreamsClient;
declare const documentClient: DynamoDBDocumentClient;
declare const credentials: NonNullable<DynamoDBClientConfig["credentials"]>;

declare const inputs: {
  get: GetItemCommandInput;
  put: PutItemCommandInput;
  query: QueryCommandInput;
  transact: TransactWriteItemsCommandInput;
};

export const port: DynamoPort = sdkPort(client, { streamsClient });
export const connected: DynamoPort = connect({ client, streamsClient });
export const withTheSame: DynamoPort = httpPort({ credentials });
export const overDocuments: DynamoPort = sdkPort(documentClient);
export const back: Promise<DynamoDBClient> = sdkClient(port, { region: "eu-west-1" });
export const withMethods: Promise<DynamoDB> = sdkClient(port);
export const backStreams: Promise<DynamoDBStreamsClient> = sdkStreamsClient(port);

type Without$Metadata<Output> = Omit<Output, "$metadata">;

export async function throughAPort(): Promise<void> {
  const got: Without$Metadata<GetItemCommandOutput> = await port.getItem(inputs.get);
  const page: Without$Metadata<QueryCommandOutput> = await port.query(inputs.query);
  const done: Without$Metadata<TransactWriteItemsCommandOutput> = await port.transactWriteItems(
    inputs.transact,
  );
  const records: Without$Metadata<GetRecordsCommandOutput> = await port.getRecords({ ShardIterator: "i" });
  const item: Item | undefined = got.Item;
  await port.putItem({ ...inputs.put, Item: item });
  await port.query({ ...inputs.query, ExclusiveStartKey: page.LastEvaluatedKey });
  await port.putItem({ TableName: "t", Item: records.Records?.[0]?.dynamodb?.NewImage });
  void done;
}

// @ts-expect-error there is no such option
sdkPort(client, { timeout: 1 });
// @ts-expect-error a transport has no meaning for a client that runs on a port
void sdkClient(port, { endpoint: "http://127.0.0.1:8000" });
// @ts-expect-error native values are the Document client's
void port.putItem({ TableName: "t", Item: { pk: "a" } });
