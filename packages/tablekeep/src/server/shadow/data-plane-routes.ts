import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { isDynamoError, isTablekeepError, type Logger } from "@tablekeep/core";
import {
  type AwsError,
  type AwsShadowName,
  type AwsShadows,
  awsError,
  awsErrorOf,
  type DocumentObject,
  errorBody,
  printJson,
} from "@tablekeep/shadow";
import { type AccessKeys, verifySignature } from "../auth/verify-signature.ts";
import { HttpError, type HttpExchange, type HttpRoute, type RouteGroup } from "../http/http-route.ts";
import { readBody } from "../http/requests.ts";
import { logUnexpected } from "../http/responses.ts";
import type { MqttBroker } from "./mqtt/mqtt-broker.ts";
import { publishRule } from "./mqtt/topics.ts";
import type { ShadowService } from "./shadow-service.ts";

/** AWS: an MQTT message has at most 128 KB; the limit of the state rejects larger documents anyway. */
const bodyBytes = 131_072;

/** The service names in signatures; AWS documents the second. */
const signedServices = ["iotdata", "iotdevicegateway"];

/** Dependencies of AWS IoT's data plane. */
export interface DataPlane {
  readonly shadows: AwsShadows;
  readonly service: ShadowService;
  /** Sends a message to its subscribers. */
  readonly publish: MqttBroker["publish"];
  /** Secret keys by access key id; requests must be signed with one of them. @default none: any credentials are accepted */
  readonly accessKeys?: AccessKeys;
  readonly now: () => number;
  readonly logger: Logger;
}

/** Performs a request. A write continues when its client disconnects; only reads are aborted. */
type Perform = (exchange: HttpExchange, body: Buffer, plane: DataPlane) => Promise<DocumentObject>;

interface Operation {
  readonly method: HttpRoute["method"];
  readonly path: string;
  readonly perform: Perform;
}

const shadowPath = "/things/:thing/shadow";

const operations: readonly Operation[] = [
  {
    method: "GET",
    path: shadowPath,
    perform: (exchange, _body, { shadows }) =>
      shadows.get(shadowOf(exchange), "", { signal: exchange.signal }),
  },
  {
    method: "POST",
    path: shadowPath,
    perform: (exchange, body, { service }) => service.update(shadowOf(exchange), body),
  },
  {
    method: "DELETE",
    path: shadowPath,
    perform: (exchange, _body, { service }) => service.delete(shadowOf(exchange), ""),
  },
  {
    method: "GET",
    path: "/api/things/shadow/ListNamedShadowsForThing/:thing",
    perform: (exchange, _body, { shadows }) => listNamed(exchange, shadows),
  },
  { method: "POST", path: "/topics/*topic", perform: publishMessage },
];

/**
 * AWS IoT's data plane: the paths, codes, headers and bodies that the AWS SDKs expect. Signatures replace other
 * authentication.
 */
export function dataPlaneGroup(plane: DataPlane): RouteGroup {
  const access = plane.accessKeys === undefined ? "users" : "keys";
  return {
    routes: operations.map(({ method, path, perform }) => ({
      method,
      path,
      access,
      handle: (exchange) => answerRequest(exchange, plane, perform),
    })),
    answerError(error, { request, response }) {
      if (!(error instanceof HttpError)) {
        logUnexpected(plane.logger, { request, response }, error);
        sendError(response, awsError(500));
        return;
      }
      // AWS has its own message for a method that a path lacks.
      const message = error.status === 405 ? undefined : error.message;
      sendError(response, awsError(error.status, message), error.headers);
    },
  };
}

/** The shadow that a request names: `/things/{thing}/shadow?name={name}`. */
function shadowOf({ params, query }: Pick<HttpExchange, "params" | "query">): AwsShadowName {
  return { thingName: params["thing"] ?? "", shadowName: query.get("name") ?? "" };
}

async function answerRequest(exchange: HttpExchange, plane: DataPlane, perform: Perform): Promise<void> {
  const { request, response } = exchange;
  const body = await readBody(request, bodyBytes);
  if (plane.accessKeys !== undefined && !isSigned(exchange, body, plane.accessKeys, plane.now())) {
    sendError(response, awsError(403));
    return;
  }
  try {
    sendDocument(response, await perform(exchange, body, plane));
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    sendError(response, awsErrorOf(error, shadowOf(exchange)));
  }
}

function isSigned({ request }: HttpExchange, body: Buffer, keys: AccessKeys, now: number): boolean {
  try {
    verifySignature(request, body, keys, now, signedServices);
    return true;
  } catch (error) {
    if (isDynamoError(error)) return false;
    throw error;
  }
}

function listNamed({ params, query, signal }: HttpExchange, shadows: AwsShadows): Promise<DocumentObject> {
  const [nextToken, pageSize] = [query.get("nextToken"), query.get("pageSize")];
  const page = { nextToken: nextToken ?? undefined, pageSize: pageSize ?? undefined };
  return shadows.listNamed({ thingName: params["thing"] ?? "", ...page }, { signal });
}

async function publishMessage(
  { params, query }: HttpExchange,
  payload: Buffer,
  { service, publish }: DataPlane,
): Promise<DocumentObject> {
  const topic = params["topic"] ?? "";
  if (topic === "") throw new HttpError(405, "expected a topic in the path");
  const rule = publishRule(topic, {});
  if (rule.kind !== "request" && rule.kind !== "pass")
    throw new HttpError(403, "only the service publishes to this topic");
  publish({ topic, payload, qos: query.get("qos") === "1" ? 1 : 0 });
  // A message is answered by messages, even if it is rejected.
  if (rule.kind === "request")
    for (const answer of await service.answer(rule.request, payload)) publish({ ...answer, qos: 1 });
  return {};
}

function sendDocument(response: ServerResponse, document: DocumentObject): void {
  const text = printJson(document);
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "x-amzn-requestid": randomUUID(),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}

function sendError(
  response: ServerResponse,
  error: AwsError,
  headers: Readonly<Record<string, string>> = {},
): void {
  const traceId = randomUUID();
  const text = printJson(errorBody(error, traceId));
  response.writeHead(error.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "x-amzn-errortype": error.exception,
    "x-amzn-requestid": traceId,
    "cache-control": "no-store",
    ...headers,
  });
  response.end(text);
}
