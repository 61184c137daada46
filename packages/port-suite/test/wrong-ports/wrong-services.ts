import { type ConsumedCapacity, DynamoError, isDynamoError, wrapPort } from "@tablekeep/core";
import { changingInput, changingOutput, replacing, type WrongPort } from "./wrong-port.ts";

const nothing = (capacity: ConsumedCapacity | undefined): ConsumedCapacity | undefined =>
  capacity && { ...capacity, CapacityUnits: 0 };

/** Ports that are wrong in capacity, errors, tables, streams and statements. */
export const wrongServices: readonly WrongPort[] = [
  {
    name: "answers that a query costs nothing",
    area: "Query of 12 KB",
    wrap: changingOutput("Query", (output) => ({
      ...output,
      ConsumedCapacity: nothing(output.ConsumedCapacity),
    })),
  },
  {
    name: "answers that a batch costs nothing",
    area: "BatchWriteItem rounds",
    wrap: changingOutput("BatchWriteItem", (output) => ({
      ...output,
      ConsumedCapacity: output.ConsumedCapacity?.map((each) => ({ ...each, CapacityUnits: 0 })),
    })),
  },
  {
    name: "returns capacity that was not requested",
    area: "Without ReturnConsumedCapacity",
    wrap: changingInput("Query", (input) => ({ ...input, ReturnConsumedCapacity: "TOTAL" })),
  },
  {
    name: "calls a missing table a wrong request",
    area: "GetItem of an unknown table",
    wrap: replacing("GetItem", () => async (input, send) => {
      try {
        return await send(input);
      } catch (error) {
        if (!isDynamoError(error, "ResourceNotFoundException")) throw error;
        throw new DynamoError({ ...error.details, exception: "ValidationException" });
      }
    }),
  },
  {
    name: "loses DynamoDB's words",
    area: "Query is rejected",
    wrap: (port) =>
      wrapPort(port, async (operation, input, options, next) => {
        try {
          return await next(operation, input, options);
        } catch (error) {
          throw isDynamoError(error) ? new DynamoError({ ...error.details, serviceMessage: "" }) : error;
        }
      }),
  },
  {
    name: "deletes a protected table",
    area: "Deletion protection",
    wrap: replacing("DeleteTable", (port) => async (input, send) => {
      await port.updateTable({ TableName: input.TableName, DeletionProtectionEnabled: false });
      return send(input);
    }),
  },
  {
    name: "treats an existing table as a new one",
    area: "CreateTable rejects a name",
    wrap: replacing("CreateTable", () => async (input, send) => {
      try {
        return await send(input);
      } catch (error) {
        if (isDynamoError(error, "ResourceInUseException")) return {};
        throw error;
      }
    }),
  },
  {
    name: "reports another attribute for expiry",
    area: "UpdateTimeToLive switches",
    wrap: changingOutput("DescribeTimeToLive", ({ TimeToLiveDescription }) => ({
      TimeToLiveDescription: { ...TimeToLiveDescription, AttributeName: "expires" },
    })),
  },
  {
    name: "returns the records of a stream backwards",
    area: "A stream",
    wrap: changingOutput("GetRecords", (output) => ({ ...output, Records: output.Records?.toReversed() })),
  },
  {
    name: "drops old images",
    area: "A stream",
    wrap: changingOutput("GetRecords", (output) => ({
      ...output,
      Records: output.Records?.map((record) => ({
        ...record,
        dynamodb: { ...record.dynamodb, OldImage: undefined },
      })),
    })),
  },
  {
    name: "begins every stream iterator at the horizon",
    area: "Iterators",
    wrap: changingInput("GetShardIterator", ({ StreamArn, ShardId }) => ({
      StreamArn,
      ShardId,
      ShardIteratorType: "TRIM_HORIZON",
    })),
  },
  {
    name: "forgets the NextToken of a statement",
    area: "SELECT pages",
    wrap: changingOutput("ExecuteStatement", ({ NextToken: _, ...rest }) => rest),
  },
  {
    name: "hides the errors of a batch of statements",
    area: "BatchExecuteStatement reports",
    wrap: changingOutput("BatchExecuteStatement", (output) => ({
      ...output,
      Responses: output.Responses?.map(({ Error: _, ...rest }) => rest),
    })),
  },
  {
    name: "runs a transaction of statements one by one",
    area: "ExecuteTransaction writes nothing",
    wrap: replacing("ExecuteTransaction", (port) => async (input) => {
      const Responses = [];
      for (const { Statement, Parameters } of input.TransactStatements ?? []) {
        const { Items } = await port.executeStatement({ Statement, Parameters });
        Responses.push({ Item: Items?.[0] });
      }
      return { Responses };
    }),
  },
];
