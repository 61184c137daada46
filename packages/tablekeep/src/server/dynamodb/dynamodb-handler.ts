import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { crc32 } from "node:zlib";
import { isDynamoError, isOperationName, type Logger, operationTraits } from "@tablekeep/core";
import { type Answer, answerBytes } from "@tablekeep/engine";
import { type AccessKeys, verifySignature } from "../auth/verify-signature.ts";
import type { HttpHandler } from "../http/http-route.ts";
import { requestId } from "../http/responses.ts";
import { hostAndPort } from "../listening/listener.ts";
import { type BodyLimits, defaultBodyLimits, RequestBodies, unpackBody } from "./request-bodies.ts";
import { ResponseMemory } from "./response-memory.ts";
import { malformed, toWireException, unknownOperation } from "./wire-exceptions.ts";

/** The response to DescribeEndpoints: the address that the client used, because it evidently reaches this server. */
function endpointAnswer({ headers, socket }: IncomingMessage): Answer {
  const Address = headers.host ?? hostAndPort(socket.localAddress ?? "127.0.0.1", socket.localPort ?? 0);
  return { Endpoints: [{ Address, CachePeriodInMinutes: 1440 }] };
}

/** The backend that performs the requests: an engine, or anything with the same interface. */
export interface WireBackend {
  execute(operation: string, input: unknown): Promise<Answer>;
}

export interface DynamoDbHandlerOptions {
  readonly backend: WireBackend;
  /** Secret keys by access key id. Without any, all credentials are accepted. @default none */
  readonly accessKeys?: AccessKeys;
  /** The time against which signatures are checked, in milliseconds. */
  readonly now: () => number;
  readonly logger: Logger;
  /** @default {@link defaultBodyLimits} */
  readonly bodyLimits?: BodyLimits;
}

/** The DynamoDB and DynamoDB Streams JSON 1.0 protocols. One function answers both: the target names the service. */
export function dynamoDbHandler(options: DynamoDbHandlerOptions): HttpHandler {
  const limits = options.bodyLimits ?? defaultBodyLimits;
  const bodies = new RequestBodies(limits);
  const memory = new ResponseMemory();
  return async (request, response) => {
    if (isFromForeignPage(request)) {
      sendForeign(response);
      return;
    }
    if (request.method !== "POST" || pathOf(request) !== "/" || !isJson(request)) {
      sendPlain(request, response);
      return;
    }
    const id = requestId();
    let status = 200;
    let bytes: Buffer;
    let reused: Buffer | undefined;
    const allocate = (length: number) => {
      reused = memory.acquire(length);
      return reused;
    };
    try {
      bytes = await bodies.with(request, async (sent) => {
        const { accessKeys } = options;
        if (accessKeys !== undefined) verifySignature(request, sent, { accessKeys, nowMs: options.now() });
        const body = await unpackBody(sent, request.headers["content-encoding"], limits.one);
        const input = parseJson(body);
        const operation = operationOf(request);
        const answer = await options.backend.execute(operation, input);
        // The backend has no address.
        return answerBytes(operation === "DescribeEndpoints" ? endpointAnswer(request) : answer, allocate);
      });
    } catch (error) {
      if (!isDynamoError(error)) {
        options.logger.error("request failed", {
          requestId: id,
          target: request.headers["x-amz-target"],
          error,
        });
      }
      const exception = toWireException(error);
      status = exception.status;
      bytes = Buffer.from(exception.body);
    }
    send(response, status, bytes, id);
    // Only then has the system copied all of it. A connection that breaks keeps its memory to itself.
    if (reused !== undefined) response.once("finish", () => memory.release(reused as Buffer));
  };
}

/** Browsers send the page's origin with every POST of a script or a form; programs send none. No page of ours uses this endpoint. */
function isFromForeignPage(request: IncomingMessage): boolean {
  return request.headers.origin !== undefined;
}

function sendForeign(response: ServerResponse): void {
  const text = "requests from browser pages are rejected\n";
  response.writeHead(403, {
    "content-type": "text/plain",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  response.end(text);
}

/** The protocol has one path; the query string is ignored. */
function pathOf({ url = "/" }: IncomingMessage): string {
  return url.replace(/\?.*$/s, "");
}

/** Without a content type a body counts as JSON: `curl -H content-type: …` is long enough to forget. */
function isJson(request: IncomingMessage): boolean {
  const type = request.headers["content-type"];
  if (type === undefined || type === "application/x-amz-json-1.0") return true;
  return /^application\/(x-amz-json-1\.[01]|json)\s*(;|$)/i.test(type);
}

const targetPrefixes = { dynamodb: "DynamoDB_20120810.", streams: "DynamoDBStreams_20120810." };

/** The operation that the target names, which must belong to the named service. */
function operationOf(request: IncomingMessage): string {
  const target = request.headers["x-amz-target"];
  if (typeof target !== "string") throw unknownOperation();
  const name = target.slice(target.indexOf(".") + 1);
  const service = isOperationName(name) ? operationTraits[name].service : "dynamodb";
  if (target !== targetPrefixes[service] + name) throw unknownOperation();
  return name;
}

function parseJson(body: Buffer): unknown {
  // Decoded anyway, a wrong byte would become U+FFFD, and the request would store other strings than it has.
  if (!isUtf8(body)) throw malformed();
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw malformed();
  }
}

function send(response: ServerResponse, status: number, bytes: Buffer, id: string): void {
  // A flat list of names and values is faster in Node than an object.
  response.writeHead(status, [
    "content-type",
    "application/x-amz-json-1.0",
    "content-length",
    String(bytes.length),
    "x-amzn-requestid",
    id,
    "x-amz-crc32",
    String(crc32(bytes)),
  ]);
  response.end(bytes);
}

/** Answers health checks by GET; everything else outside the protocol is an unknown operation. */
function sendPlain(request: IncomingMessage, response: ServerResponse): void {
  const isHealthCheck = request.method === "GET" || request.method === "HEAD";
  const text = isHealthCheck ? "healthy: dynamodb\n" : "<UnknownOperationException/>\n";
  response.writeHead(isHealthCheck ? 200 : 404, {
    "content-type": "text/plain",
    "content-length": Buffer.byteLength(text),
    "x-amzn-requestid": requestId(),
    // An unread body would precede the next request.
    ...(isHealthCheck ? {} : { connection: "close" }),
  });
  response.end(text);
}
