/**
 * feed/lambda: changes to a table in AWS Lambda.
 *
 * Here: decoding the events that AWS Lambda gets from DynamoDB Streams and from Kinesis, the response for a partly processed event, and the
 * function that keeps a feed up to date.
 * Not here: polling a stream, which AWS Lambda does itself.
 */

export {
  type BatchResponse,
  batchResponse,
  eventSource,
  type ProcessChange,
  processEvent,
} from "./batch-response.ts";
export { type DecodedEvent, decodeEvent, type EventChange } from "./decode-event.ts";
export { type FeedHandlerOptions, feedHandler, type LambdaContext } from "./feed-handler.ts";
