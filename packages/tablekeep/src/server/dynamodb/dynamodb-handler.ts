import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { operationServices } from "@tablekeep/core";
import { type Answer, answerJson } from "@tablekeep/engine";
import { crc32 } from "./crc32.ts";
import { readBody } from "./read-body.ts";
import { malformed, toWireException, unknownOperation } from "./to-wire-exception.ts";
import { type AccessKeys, verifySignature } from "./verify-signature.ts";

/** What answers requests behind the wire: an engine, or whatever can do the same. */
export interface WireBackend {
  execute(operation: string, input: unknown): Promise<Answer>;
}

export interface DynamoDbHandlerOptions {
  readonly backend: WireBackend;
  /** Secret keys by access key id. With none, any credentials do. @default none */
  readonly accessKeys?: AccessKeys | undefined;
  /** The time against which signatures are checked, in milliseconds. */
  readonly now: () => number;
}

/** The DynamoDB and DynamoDB Streams JSON 1.0 protocols. One function answers both: the target names the service. */
export function dynamoDbHandler(
  options: DynamoDbHandlerOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    if (request.method !== "POST") {
      sendHealth(request, response);
      return;
    }
    let status = 200;
    let body: string;
    try {
      body = answerJson(await answerTo(request, options));
    } catch (error) {
      ({ status, body } = toWireException(error));
    }
    send(response, status, body);
  };
}

async function answerTo(request: IncomingMessage, options: DynamoDbHandlerOptions): Promise<Answer> {
  const body = await readBody(request);
  const operation = operationOf(request);
  if (options.accessKeys !== undefined) verifySignature(request, body, options.accessKeys, options.now());
  return options.backend.execute(operation, parseJson(body));
}

const targetPrefixes = { dynamodb: "DynamoDB_20120810.", streams: "DynamoDBStreams_20120810." };

/** The operation that the target names; it must name it under its own service. */
function operationOf(request: IncomingMessage): string {
  const target = request.headers["x-amz-target"];
  if (typeof target !== "string") throw unknownOperation();
  const name = target.slice(target.indexOf(".") + 1);
  const service = Object.hasOwn(operationServices, name)
    ? operationServices[name as keyof typeof operationServices]
    : "dynamodb";
  if (target !== targetPrefixes[service] + name) throw unknownOperation();
  return name;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw malformed();
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  const bytes = Buffer.from(body, "utf8");
  response.writeHead(status, [
    "content-type",
    "application/x-amz-json-1.0",
    "content-length",
    String(bytes.length),
    "x-amzn-requestid",
    requestId(),
    "x-amz-crc32",
    String(crc32(bytes)),
  ]);
  response.end(bytes);
}

const idAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const idLength = 52;
let idStock: Buffer = Buffer.alloc(0);

/** Random, and cheap: random bytes are drawn for many ids at once. */
function requestId(): string {
  if (idStock.length < idLength) idStock = randomBytes(idLength * 256);
  let id = "";
  for (let at = 0; at < idLength; at++) id += idAlphabet.charAt((idStock[at] as number) % idAlphabet.length);
  idStock = idStock.subarray(idLength);
  return id;
}

/** What DynamoDB says to whoever looks whether it is there. */
function sendHealth(request: IncomingMessage, response: ServerResponse): void {
  const text = request.method === "GET" || request.method === "HEAD" ? "healthy: dynamodb" : "";
  response.writeHead(text === "" ? 405 : 200, {
    "content-type": "text/plain",
    "content-length": Buffer.byteLength(text),
  });
  response.end(request.method === "HEAD" ? undefined : text);
}
