/** Events in the form that the documentation of AWS shows. */

const tableArn = "arn:aws:dynamodb:us-east-1:123456789012:table/ExampleTableWithStream";

/** Of a DynamoDB stream: an item is put, changed and deleted. Times are in seconds. */
export const dynamoDbEvent = {
  Records: [
    {
      eventID: "1",
      eventName: "INSERT",
      eventVersion: "1.0",
      eventSource: "aws:dynamodb",
      awsRegion: "us-east-1",
      dynamodb: {
        ApproximateCreationDateTime: 1428537600,
        Keys: { Id: { N: "101" } },
        NewImage: { Message: { S: "New item!" }, Id: { N: "101" } },
        SequenceNumber: "4421584500000000017450439091",
        SizeBytes: 26,
        StreamViewType: "NEW_AND_OLD_IMAGES",
      },
      eventSourceARN: `${tableArn}/stream/2015-06-27T00:48:05.899`,
    },
    {
      eventID: "2",
      eventName: "MODIFY",
      eventVersion: "1.0",
      eventSource: "aws:dynamodb",
      awsRegion: "us-east-1",
      dynamodb: {
        ApproximateCreationDateTime: 1428537600,
        Keys: { Id: { N: "101" } },
        NewImage: { Message: { S: "This item has changed" }, Id: { N: "101" } },
        OldImage: { Message: { S: "New item!" }, Id: { N: "101" } },
        SequenceNumber: "4421584500000000017450439092",
        SizeBytes: 59,
        StreamViewType: "NEW_AND_OLD_IMAGES",
      },
      eventSourceARN: `${tableArn}/stream/2015-06-27T00:48:05.899`,
    },
    {
      eventID: "3",
      eventName: "REMOVE",
      eventVersion: "1.0",
      eventSource: "aws:dynamodb",
      awsRegion: "us-east-1",
      dynamodb: {
        ApproximateCreationDateTime: 1428537601,
        Keys: { Id: { N: "101" } },
        OldImage: { Message: { S: "This item has changed" }, Id: { N: "101" } },
        SequenceNumber: "4421584500000000017450439093",
        SizeBytes: 38,
        StreamViewType: "NEW_AND_OLD_IMAGES",
      },
      eventSourceARN: `${tableArn}/stream/2015-06-27T00:48:05.899`,
    },
  ],
};

/** What a table sends to a Kinesis data stream. Times are in microseconds. */
export const kinesisContent = {
  awsRegion: "us-east-1",
  eventID: "ac2ae7ae-9fa5-4b7e-bd43-3d8d1e4e4b3a",
  eventName: "INSERT",
  userIdentity: null,
  recordFormat: "application/json",
  tableName: "ExampleTableWithStream",
  dynamodb: {
    ApproximateCreationDateTime: 1_428_537_600_123_456,
    ApproximateCreationDateTimePrecision: "MICROSECOND",
    Keys: { Id: { N: "101" } },
    NewImage: { Id: { N: "101" }, Bytes: { B: "AQID" } },
    SizeBytes: 26,
  },
  eventSource: "aws:dynamodb",
};

/** An event of a Kinesis data stream with these contents. */
export function kinesisEvent(...contents: readonly object[]): { Records: object[] } {
  return {
    Records: contents.map((content, at) => {
      const sequenceNumber = `4959033827149025660855969253836157109592157598913658${String(8800 + at)}`;
      return {
        kinesis: {
          kinesisSchemaVersion: "1.0",
          partitionKey: "1",
          sequenceNumber,
          data: Buffer.from(JSON.stringify(content)).toString("base64"),
          approximateArrivalTimestamp: 1545084650.987,
        },
        eventSource: "aws:kinesis",
        eventVersion: "1.0",
        eventID: `shardId-000000000006:${sequenceNumber}`,
        eventName: "aws:kinesis:record",
        invokeIdentityArn: "arn:aws:iam::123456789012:role/lambda-role",
        awsRegion: "us-east-2",
        eventSourceARN: "arn:aws:kinesis:us-east-2:123456789012:stream/lambda-stream",
      };
    }),
  };
}
