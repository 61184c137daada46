import type { OperationName } from "@tablekeep/core";

/** A request as on the wire. */
export type Request = readonly [operation: OperationName, input: object];

export const tableName = "fuzzed";
const TableName = tableName;
const Key = { pk: { S: "p" }, sk: { N: "1" } };
const item = {
  ...Key,
  tag: { S: "t" },
  list: { L: [{ N: "1" }, { S: "two" }, { M: { deep: { BOOL: true } } }] },
  map: { M: { inner: { M: { leaf: { B: "AAEC" } } }, none: { NULL: true } } },
  texts: { SS: ["a", "b"] },
  numbers: { NS: ["1", "2.5"] },
  binaries: { BS: ["AA==", "AQ=="] },
  count: { N: "12345678901234567890123456789012345678" },
  expires: { N: "1" },
};
const names = { "#t": "tag", "#m": "map", "#l": "list", "#i": "inner" };
const values = { ":s": { S: "t" }, ":n": { N: "1" }, ":set": { SS: ["a"] }, ":l": { L: [{ N: "1" }] } };

export const tableInput = {
  TableName,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "N" },
    { AttributeName: "tag", AttributeType: "S" },
  ],
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  LocalSecondaryIndexes: [
    {
      IndexName: "local",
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "tag", KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "KEYS_ONLY" },
    },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "tags",
      KeySchema: [{ AttributeName: "tag", KeyType: "HASH" }],
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["list"] },
    },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
  Tags: [{ Key: "k", Value: "v" }],
};

/** What requests on tags and streams have to name. */
export interface StreamPlaces {
  readonly tableArn: string;
  readonly streamArn: string;
  readonly shardId: string;
  readonly iterator: string;
}

/** Valid requests of every operation and with every kind of parameter. */
export function validRequests({ tableArn, streamArn, shardId, iterator }: StreamPlaces): Request[] {
  return [
    ["PutItem", { TableName, Item: item, ReturnValues: "ALL_OLD", ReturnConsumedCapacity: "INDEXES" }],
    [
      "PutItem",
      {
        TableName,
        Item: item,
        ConditionExpression: "#t = :s AND NOT (contains(#m.#i, :s) OR size(#l) BETWEEN :n AND :n)",
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ":s": values[":s"], ":n": values[":n"] },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        ReturnItemCollectionMetrics: "SIZE",
      },
    ],
    [
      "PutItem",
      {
        TableName,
        Item: item,
        Expected: { tag: { ComparisonOperator: "EQ", AttributeValueList: [{ S: "t" }] } },
      },
    ],
    [
      "GetItem",
      {
        TableName,
        Key,
        ConsistentRead: true,
        ProjectionExpression: "#m.#i.leaf, #l[0], #t",
        ExpressionAttributeNames: names,
      },
    ],
    ["GetItem", { TableName, Key, AttributesToGet: ["tag", "list"] }],
    [
      "UpdateItem",
      {
        TableName,
        Key,
        UpdateExpression:
          "SET #t = :s, #l = list_append(if_not_exists(#l, :l), :l), tally = if_not_exists(tally, :n) + :n REMOVE expires ADD visits :n DELETE texts :set",
        ExpressionAttributeNames: { "#t": "tag", "#l": "list" },
        ExpressionAttributeValues: values,
        ReturnValues: "UPDATED_NEW",
      },
    ],
    [
      "UpdateItem",
      {
        TableName,
        Key,
        AttributeUpdates: {
          tag: { Action: "PUT", Value: { S: "u" } },
          visits: { Action: "ADD", Value: { N: "1" } },
        },
      },
    ],
    [
      "DeleteItem",
      {
        TableName,
        Key,
        ConditionalOperator: "OR",
        Expected: { tag: { Exists: false }, sk: { Value: { N: "1" } } },
        ReturnValues: "ALL_OLD",
      },
    ],
    [
      "Query",
      {
        TableName,
        KeyConditionExpression: "pk = :p AND sk BETWEEN :a AND :b",
        FilterExpression: "attribute_exists(#t) AND begins_with(#t, :p)",
        ExpressionAttributeNames: { "#t": "tag" },
        ExpressionAttributeValues: { ":p": { S: "p" }, ":a": { N: "-1" }, ":b": { N: "1E2" } },
        ScanIndexForward: false,
        Limit: 3,
        ReturnConsumedCapacity: "TOTAL",
        ExclusiveStartKey: Key,
      },
    ],
    [
      "Query",
      {
        TableName,
        IndexName: "tags",
        KeyConditionExpression: "tag = :t",
        ExpressionAttributeValues: { ":t": { S: "t" } },
        Select: "ALL_PROJECTED_ATTRIBUTES",
      },
    ],
    [
      "Query",
      {
        TableName,
        KeyConditions: { pk: { ComparisonOperator: "EQ", AttributeValueList: [{ S: "p" }] } },
        QueryFilter: { tag: { ComparisonOperator: "NOT_NULL" } },
      },
    ],
    [
      "Scan",
      {
        TableName,
        Segment: 0,
        TotalSegments: 3,
        FilterExpression: "attribute_type(#m, :t)",
        ExpressionAttributeNames: { "#m": "map" },
        ExpressionAttributeValues: { ":t": { S: "M" } },
      },
    ],
    [
      "Scan",
      {
        TableName,
        IndexName: "local",
        Select: "COUNT",
        ScanFilter: { tag: { ComparisonOperator: "IN", AttributeValueList: [{ S: "t" }] } },
      },
    ],
    [
      "BatchGetItem",
      {
        RequestItems: {
          [TableName]: {
            Keys: [Key],
            ProjectionExpression: "pk, #t",
            ExpressionAttributeNames: { "#t": "tag" },
          },
        },
        ReturnConsumedCapacity: "TOTAL",
      },
    ],
    [
      "BatchWriteItem",
      {
        RequestItems: {
          [TableName]: [
            { PutRequest: { Item: item } },
            { DeleteRequest: { Key: { ...Key, sk: { N: "2" } } } },
          ],
        },
      },
    ],
    ["TransactGetItems", { TransactItems: [{ Get: { TableName, Key, ProjectionExpression: "tag" } }] }],
    [
      "TransactWriteItems",
      {
        ClientRequestToken: "token",
        TransactItems: [
          { Put: { TableName, Item: item } },
          {
            Update: {
              TableName,
              Key: { ...Key, sk: { N: "2" } },
              UpdateExpression: "SET a = :n",
              ExpressionAttributeValues: { ":n": { N: "1" } },
            },
          },
          { Delete: { TableName, Key: { ...Key, sk: { N: "3" } } } },
          {
            ConditionCheck: {
              TableName,
              Key: { ...Key, sk: { N: "40" } },
              ConditionExpression: "attribute_not_exists(pk)",
            },
          },
        ],
      },
    ],
    [
      "ExecuteStatement",
      {
        Statement: `SELECT * FROM "${TableName}" WHERE pk = ? AND sk > 0 ORDER BY sk DESC`,
        Parameters: [{ S: "p" }],
        Limit: 2,
      },
    ],
    [
      "ExecuteStatement",
      {
        Statement: `INSERT INTO "${TableName}" VALUE {'pk': 'q', 'sk': ?, 'list': [1, {'a': <<1, 2>>}]}`,
        Parameters: [{ N: "9" }],
      },
    ],
    [
      "ExecuteStatement",
      {
        Statement: `UPDATE "${TableName}" SET tag = 'x' REMOVE "list" WHERE pk = 'p' AND sk = 1 RETURNING ALL NEW *`,
      },
    ],
    [
      "BatchExecuteStatement",
      {
        Statements: [
          { Statement: `SELECT tag FROM "${TableName}" WHERE pk = 'p' AND sk = 1` },
          {
            Statement: `SELECT * FROM "${TableName}" WHERE pk = ? AND sk = ?`,
            Parameters: [{ S: "p" }, { N: "2" }],
          },
        ],
      },
    ],
    [
      "BatchExecuteStatement",
      {
        Statements: [
          {
            Statement: `DELETE FROM "${TableName}" WHERE pk = 'q' AND sk = 9`,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          },
          { Statement: `INSERT INTO "${TableName}" VALUE {'pk': 'new', 'sk': 1}` },
        ],
      },
    ],
    [
      "ExecuteTransaction",
      {
        TransactStatements: [{ Statement: `UPDATE "${TableName}" SET n = 1 WHERE pk = 'p' AND sk = 1` }],
        ClientRequestToken: "t2",
      },
    ],
    ["CreateTable", { ...tableInput, TableName: "another" }],
    ["UpdateTable", { TableName, StreamSpecification: { StreamEnabled: false } }],
    [
      "UpdateTable",
      {
        TableName,
        AttributeDefinitions: [{ AttributeName: "x", AttributeType: "B" }],
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              IndexName: "fresh",
              KeySchema: [{ AttributeName: "x", KeyType: "HASH" }],
              Projection: { ProjectionType: "ALL" },
            },
          },
        ],
      },
    ],
    ["DescribeTable", { TableName }],
    ["DeleteTable", { TableName }],
    ["ListTables", { Limit: 5, ExclusiveStartTableName: "a.b" }],
    ["UpdateTimeToLive", { TableName, TimeToLiveSpecification: { AttributeName: "expires", Enabled: true } }],
    ["DescribeTimeToLive", { TableName }],
    ["TagResource", { ResourceArn: tableArn, Tags: [{ Key: "a", Value: "b" }] }],
    ["UntagResource", { ResourceArn: tableArn, TagKeys: ["a"] }],
    ["ListTagsOfResource", { ResourceArn: tableArn }],
    ["DescribeLimits", {}],
    ["DescribeEndpoints", {}],
    ["ListStreams", { TableName, Limit: 3 }],
    ["DescribeStream", { StreamArn: streamArn, Limit: 3 }],
    [
      "GetShardIterator",
      {
        StreamArn: streamArn,
        ShardId: shardId,
        ShardIteratorType: "TRIM_HORIZON",
      },
    ],
    ["GetRecords", { ShardIterator: iterator, Limit: 10 }],
  ];
}
