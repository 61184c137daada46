import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { isDynamoError, isTablekeepError, type Logger } from "@tablekeep/core";
import {
  type AwsError,
  type AwsShadows,
  awsError,
  awsErrorOf,
  type DocumentObject,
  errorBody,
  parseShadowTopic,
  printJson,
  type ShadowRoute,
  shadowRoute,
} from "@tablekeep/shadow";
import { type AccessKeys, verifySignature } from "../auth/verify-signature.ts";
import type { HttpExchange, HttpRoute, RouteGroup } from "../http/http-route.ts";
import { HttpError } from "../http/http-route.ts";
import { readBody } from "../http/requests.ts";
import { logUnexpected } from "../http/responses.ts";
import type { MqttBroker } from "./mqtt/mqtt-broker.ts";
import type { ShadowService } from "./shadow-service.ts";

/** AWS: a message of MQTT is 128 KB at most; more is refused anyway, by the size of the state. */
const bodyBytes = 131_072;

/** The service names in signatures; AWS documents the second. */
const signedFor = ["iotdata", "iotdevicegateway"];

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

const paths = [
  "/things/:thing/shadow",
  "/api/things/shadow/ListNamedShadowsForThing/:thing",
  "/topics/*topic",
];
const methods: readonly HttpRoute["method"][] = ["GET", "POST", "PUT", "DELETE", "PATCH"];

/**
 * AWS IoT's data plane: the paths, codes, headers and bodies that the AWS SDKs expect. Signatures replace other
 * authentication.
 */
export function dataPlaneGroup(plane: DataPlane): RouteGroup {
  const handle = (exchange: HttpExchange) => answerRequest(exchange, plane);
  return {
    access: plane.accessKeys === undefined ? "users" : "keys",
    routes: paths.flatMap((path) => methods.map((method) => ({ method, path, handle }))),
    answerError(error, { request, response }) {
      const refusal = error instanceof HttpError ? awsError(error.status, error.message) : undefined;
      if (refusal === undefined) logUnexpected(plane.logger, { request, response }, error);
      sendError(response, refusal ?? awsError(500), error instanceof HttpError ? error.headers : {});
    },
  };
}

async function answerRequest(exchange: HttpExchange, plane: DataPlane): Promise<void> {
  const { request, response, query } = exchange;
  const body = await readBody(request, bodyBytes);
  if (plane.accessKeys !== undefined && !isSigned(exchange, body, plane.accessKeys, plane.now())) {
    sendError(response, awsError(403));
    return;
  }
  const path = (request.url ?? "").replace(/[?#].*$/s, "");
  const route = shadowRoute(request.method ?? "", path, query);
  if (route === undefined || route.operation === "methodNotAllowed") {
    sendError(response, awsError(405));
    return;
  }
  try {
    sendDocument(response, await perform(route, body, plane, exchange.signal));
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    const { thingName = "", shadowName = "" } = "thingName" in route ? { shadowName: "", ...route } : {};
    sendError(response, awsErrorOf(error, { thingName, shadowName }));
  }
}

function isSigned({ request }: HttpExchange, body: Buffer, keys: AccessKeys, now: number): boolean {
  try {
    verifySignature(request, body, keys, now, signedFor);
    return true;
  } catch (error) {
    if (isDynamoError(error)) return false;
    throw error;
  }
}

type Performed = Exclude<ShadowRoute, { readonly operation: "methodNotAllowed" }>;

/** A write continues when its client disconnects; only reads are aborted. */
async function perform(
  route: Performed,
  body: Buffer,
  { shadows, service, publish }: DataPlane,
  signal: AbortSignal,
): Promise<DocumentObject> {
  switch (route.operation) {
    case "get":
      return shadows.get(route, "", { signal });
    case "update":
      return service.update(route, body);
    case "delete":
      return service.delete(route, "");
    case "listNamed":
      return shadows.listNamed(route, { signal });
    case "publish": {
      const topic = parseShadowTopic(route.topic);
      if (topic?.answer !== undefined || (topic === undefined && route.topic.startsWith("$")))
        throw new HttpError(403, "only the service publishes to this topic");
      // A message is answered by messages, also if it is rejected.
      publish({ topic: route.topic, payload: body, qos: route.qos === "1" ? 1 : 0 });
      if (topic !== undefined)
        for (const answer of await service.answer(topic, body)) publish({ ...answer, qos: 1 });
      return {};
    }
  }
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
