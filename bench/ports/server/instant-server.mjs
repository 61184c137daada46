/** A DynamoDB that returns canned answers at once: what is left is the cost of the client. */
import { createServer } from "node:http";
import { crc32 } from "node:zlib";
import { itemOf } from "../../lib/workload.mjs";

const page = {
  Items: Array.from({ length: 100 }, (_unused, at) => itemOf(at)),
  Count: 100,
  ScannedCount: 100,
};
const answers = Object.fromEntries(
  Object.entries({
    PutItem: {},
    GetItem: { Item: itemOf(1) },
    Query: page,
    BatchWriteItem: { UnprocessedItems: {} },
    TransactWriteItems: {},
  }).map(([operation, answer]) => {
    const body = Buffer.from(JSON.stringify(answer));
    const headers = {
      "content-type": "application/x-amz-json-1.0",
      "content-length": body.length,
      "x-amz-crc32": crc32(body),
      "x-amzn-requestid": "0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123",
    };
    return [operation, { body, headers }];
  }),
);

// Longer than any pause of the benchmark: a connection must not end under a request.
const keepAliveTimeout = 120_000;

const server = createServer({ keepAliveTimeout }, (request, response) => {
  request.on("data", () => {});
  request.on("end", () => {
    const { body, headers } = answers[request.headers["x-amz-target"].split(".")[1]];
    response.writeHead(200, headers);
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
