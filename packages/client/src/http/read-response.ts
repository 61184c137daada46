import { promisify } from "node:util";
import { crc32, gunzip } from "node:zlib";
import {
  type CancellationReason,
  DynamoError,
  type DynamoErrorInit,
  type Item,
  type OperationName,
  operationTraits,
  type ThrottlingReason,
  tableOf,
} from "@tablekeep/core";
import { decodeJson, decodeOutput } from "./decode-output.ts";
import type { HttpResponse } from "./exchange.ts";
import { corrupt } from "./transport-failure.ts";

/** The facts about the request that reading its response depends on. */
interface SentRequest {
  readonly operation: OperationName;
  readonly input: object;
  /** For messages. */
  readonly endpoint: string;
  readonly checkCrc: boolean;
}

const inflate = promisify(gunzip);

/** The maximum size of a decompressed response. */
const maxInflatedBytes = 128 * 1024 * 1024;

/**
 * Returns the output in a response. Throws DynamoDB's rejection, or `CLIENT_RESPONSE_CORRUPT` for anything that cannot be
 * trusted: then the request may have been carried out. Reads the bytes of the response before it returns.
 */
export function readResponse(response: HttpResponse, request: SentRequest): object | Promise<object> {
  const { crc32: checksum, contentEncoding } = response.headers;
  // The checksum is that of the bytes as sent, compressed or not.
  if (request.checkCrc && checksum !== undefined && crc32(response.body) !== Number(checksum))
    throw corrupt(request.endpoint, "wrong checksum");
  if (contentEncoding === undefined || contentEncoding === "identity")
    return parseResponse(response, response.body, request);
  if (contentEncoding !== "gzip") throw corrupt(request.endpoint, "unknown content encoding");
  // The memory of a response is reused for the next one.
  return inflate(Buffer.from(response.body), { maxOutputLength: maxInflatedBytes }).then(
    (body) => parseResponse(response, body, request),
    (cause: unknown) => {
      throw corrupt(request.endpoint, "cannot be decompressed", cause);
    },
  );
}

function parseResponse(response: HttpResponse, body: Buffer, request: SentRequest): object {
  const { operation, endpoint, input } = request;
  const { status } = response;
  if (status !== 200) {
    const { requestId } = response.headers;
    const rejection = decodeError(body.toString(), {
      operation,
      table: tableOf(operation, input),
      httpStatus: status,
      requestId,
    });
    throw rejection ?? corrupt(endpoint, `HTTP status ${status} without a DynamoDB error`);
  }
  if (body.length === 0 && operationTraits[operation].emptyResponse) return {};
  let output: unknown;
  try {
    output = decodeOutput(operation, body);
  } catch (cause) {
    throw corrupt(endpoint, "not JSON", cause);
  }
  // An error body with status 200: the status was damaged in transit.
  if (typeof output !== "object" || output === null || Array.isArray(output) || "__type" in output)
    throw corrupt(endpoint, "not an output of the operation");
  return output;
}

/** Facts about a rejected request that are not in the body of the response. */
interface RejectedRequest {
  readonly operation: OperationName;
  readonly table: string | undefined;
  readonly httpStatus: number;
  readonly requestId: string | undefined;
}

interface ErrorBody {
  readonly __type?: unknown;
  readonly message?: unknown;
  readonly Message?: unknown;
  readonly Item?: Item;
  readonly CancellationReasons?: readonly CancellationReason[];
  readonly ThrottlingReasons?: readonly ThrottlingReason[];
}

/** Returns DynamoDB's rejection as an error; undefined if the body is not one of DynamoDB's. */
function decodeError(text: string, request: RejectedRequest): DynamoError | undefined {
  const body = parse(text);
  const exception = exceptionName(body?.__type);
  if (body === undefined || exception === undefined) return undefined;
  const message = body.message ?? body.Message;
  const init: DynamoErrorInit = {
    exception,
    serviceMessage: typeof message === "string" ? message : "",
    ...withoutUndefined({
      ...request,
      item: body.Item,
      cancellationReasons: body.CancellationReasons,
      throttlingReasons: body.ThrottlingReasons,
    }),
  };
  return new DynamoError(init);
}

function parse(text: string): ErrorBody | undefined {
  try {
    const body = decodeJson(text);
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

/** `com.amazonaws.dynamodb.v20120810#Name:http://…` → `Name`. */
function exceptionName(type: unknown): string | undefined {
  if (typeof type !== "string") return undefined;
  const name = type.slice(type.indexOf("#") + 1).split(":")[0];
  return name === "" ? undefined : name;
}

function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}
