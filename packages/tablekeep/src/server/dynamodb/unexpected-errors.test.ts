import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type LogFields, type Logger, silentLogger } from "@tablekeep/core";
import { expect, test } from "vitest";
import { answerError } from "../http/responses.ts";
import { dynamoDbHandler } from "./dynamodb-handler.ts";

/** An error as a bug throws it: message and stack may name files and data. */
const bug = () => {
  throw new RangeError("Maximum call stack size exceeded in /srv/secret.ts");
};

/** Serves one request with `handle`; returns the answer and the errors that were logged. */
async function failing(serve: (logger: Logger) => RequestListener) {
  const logged: LogFields[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (message, fields) => logged.push({ message, ...fields }),
  };
  const server = createServer(serve(logger));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": "DynamoDB_20120810.ListTables",
      },
      body: "{}",
    });
    return { status: answer.status, headers: answer.headers, body: await answer.text(), logged };
  } finally {
    server.close();
  }
}

const stopping = new AbortController().signal;

test("the DynamoDB endpoint logs an unexpected error with the request id of the response, which does not reveal it", async () => {
  const { status, headers, body, logged } = await failing((logger) => {
    const handle = dynamoDbHandler({ backend: { execute: async () => bug() }, now: Date.now, logger });
    return (request, response) => void handle(request, response, stopping);
  });
  expect([status, JSON.parse(body)]).toEqual([
    500,
    {
      __type: "com.amazonaws.dynamodb.v20120810#InternalServerError",
      message: "internal server error",
    },
  ]);
  expect(logged).toMatchObject([
    {
      message: "request failed",
      requestId: headers.get("x-amzn-requestid"),
      target: "DynamoDB_20120810.ListTables",
      error: { message: expect.stringContaining("call stack") },
    },
  ]);
});

test("the other HTTP APIs do the same, by x-request-id", async () => {
  const { status, headers, body, logged } = await failing((logger) => (request, response) => {
    try {
      bug();
    } catch (error) {
      answerError(logger)(error, { request, response } as never);
    }
  });
  expect([status, body]).toEqual([500, '{"error":"internal server error"}\n']);
  expect(headers.get("x-request-id")).toMatch(/^[0-9A-Z]{52}$/);
  expect(logged).toMatchObject([{ requestId: headers.get("x-request-id"), error: { name: "RangeError" } }]);
});
