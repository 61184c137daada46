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
import type { IotPolicies } from "../auth/iot-policies.ts";
import { type AccessKeys, accessKeyOf, verifySignature } from "../auth/verify-signature.ts";
import { HttpError, type HttpExchange, type HttpRoute, type RouteGroup } from "../http/http-route.ts";
import { readBody } from "../http/requests.ts";
import { logUnexpected } from "../http/responses.ts";
import {
  type BrokerPlane,
  deleteConnection,
  getConnection,
  getRetained,
  isRetained,
  listRetained,
  listSubscriptions,
  publishMessage,
  sendDirectMessage,
} from "./broker-operations.ts";
import { shadowResource } from "./shadow-resource.ts";
import type { ShadowService } from "./shadow-service.ts";

/** AWS: an MQTT message has at most 128 KB; the limit of the state rejects larger documents anyway. */
const bodyBytes = 131_072;

/** The service names in signatures; AWS documents the second. */
const signedServices = ["iotdata", "iotdevicegateway"];

/** Dependencies of AWS IoT's data plane. */
export interface DataPlane extends BrokerPlane {
  readonly shadows: AwsShadows;
  readonly service: ShadowService;
  /** Secret keys by access key id; requests must be signed with one of them. @default none: any credentials are accepted */
  readonly accessKeys?: AccessKeys;
  /** What each user may do. @default everything */
  readonly policies?: IotPolicies;
  readonly logger: Logger;
}

/** Performs a request. A write continues when its client disconnects; only reads are aborted. */
type Perform = (
  exchange: HttpExchange,
  body: Buffer,
  plane: DataPlane,
) => DocumentObject | Promise<DocumentObject>;

interface Operation {
  readonly method: HttpRoute["method"];
  readonly path: string;
  /** The action and the resource that policies decide about. */
  readonly action: string;
  /** A further action on the resource, which only some requests need. @default none */
  readonly furtherAction?: (exchange: HttpExchange) => string | undefined;
  readonly resource: (exchange: HttpExchange) => string;
  readonly perform: Perform;
}

const shadowPath = "/things/:thing/shadow";
const thing = (exchange: HttpExchange) => shadowResource(shadowOf(exchange));
const topic = ({ params }: HttpExchange) => `topic/${params["topic"] ?? ""}`;
const client = ({ params }: HttpExchange) => `client/${params["client"] ?? ""}`;

const operations: readonly Operation[] = [
  {
    method: "GET",
    path: shadowPath,
    action: "iot:GetThingShadow",
    resource: thing,
    perform: (exchange, _body, { shadows }) =>
      shadows.get(shadowOf(exchange), "", { signal: exchange.signal }),
  },
  {
    method: "POST",
    path: shadowPath,
    action: "iot:UpdateThingShadow",
    resource: thing,
    perform: (exchange, body, { service }) => service.update(shadowOf(exchange), body),
  },
  {
    method: "DELETE",
    path: shadowPath,
    action: "iot:DeleteThingShadow",
    resource: thing,
    perform: (exchange, _body, { service }) => service.delete(shadowOf(exchange), ""),
  },
  {
    method: "GET",
    path: "/api/things/shadow/ListNamedShadowsForThing/:thing",
    action: "iot:ListNamedShadowsForThing",
    resource: ({ params }) => `thing/${params["thing"] ?? ""}`,
    perform: (exchange, _body, { shadows }) => listNamed(exchange, shadows),
  },
  {
    method: "POST",
    path: "/topics/*topic",
    action: "iot:Publish",
    furtherAction: (exchange) => (isRetained(exchange) ? "iot:RetainPublish" : undefined),
    resource: topic,
    perform: publishMessage,
  },
  {
    method: "GET",
    path: "/retainedMessage",
    action: "iot:ListRetainedMessages",
    resource: () => "*",
    perform: (exchange, _body, plane) => listRetained(exchange, plane),
  },
  {
    method: "GET",
    path: "/retainedMessage/*topic",
    action: "iot:GetRetainedMessage",
    resource: topic,
    perform: (exchange, _body, plane) => getRetained(exchange, plane),
  },
  {
    method: "GET",
    path: "/connections/:client",
    action: "iot:GetConnection",
    resource: client,
    perform: (exchange, _body, plane) => getConnection(exchange, plane),
  },
  {
    method: "DELETE",
    path: "/connections/:client",
    action: "iot:DeleteConnection",
    resource: client,
    perform: (exchange, _body, plane) => deleteConnection(exchange, plane),
  },
  {
    method: "GET",
    path: "/connections/:client/subscriptions",
    action: "iot:ListSubscriptions",
    resource: client,
    perform: (exchange, _body, plane) => listSubscriptions(exchange, plane),
  },
  {
    method: "POST",
    path: "/connections/:client/messages",
    action: "iot:SendDirectMessage",
    resource: client,
    perform: sendDirectMessage,
  },
];

/**
 * AWS IoT's data plane: the paths, codes, headers and bodies that the AWS SDKs expect. Signatures replace other
 * authentication.
 */
export function dataPlaneGroup(plane: DataPlane): RouteGroup {
  const access = plane.accessKeys === undefined ? "users" : "keys";
  return {
    routes: operations.map((operation) => ({
      method: operation.method,
      path: operation.path,
      access,
      handle: (exchange) => answerRequest(exchange, plane, operation),
    })),
    answerError(error, { request, response }) {
      if (!(error instanceof HttpError)) {
        logUnexpected(plane.logger, { request, response }, error);
        sendError(response, awsError(500));
        return;
      }
      const message = hasAwsMessage(error) ? undefined : error.message;
      sendError(response, awsError(error.status, message), error.headers);
    },
  };
}

/** AWS IoT has one message for all methods that a path does not support, and one for all bodies that are too large. */
function hasAwsMessage({ status }: HttpError): boolean {
  return status === 405 || status === 413;
}

/** The shadow that a request names: `/things/{thing}/shadow?name={name}`. */
function shadowOf({ params, query }: Pick<HttpExchange, "params" | "query">): AwsShadowName {
  return { thingName: params["thing"] ?? "", shadowName: query.get("name") ?? "" };
}

async function answerRequest(
  exchange: HttpExchange,
  plane: DataPlane,
  { action, furtherAction, resource, perform }: Operation,
): Promise<void> {
  const { request, response } = exchange;
  const { accessKeys, policies, now } = plane;
  const body = await readBody(request, bodyBytes);
  const isKnown = accessKeys === undefined || isSigned(exchange, body, accessKeys, now());
  const user = accessKeys === undefined ? exchange.user : accessKeyOf(request);
  const actions = [action, furtherAction?.(exchange) ?? action];
  const may = policies?.rulesOf({ user });
  if (!isKnown || actions.some((each) => may?.(each, resource(exchange)) === false)) {
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

function isSigned({ request }: HttpExchange, body: Buffer, accessKeys: AccessKeys, nowMs: number): boolean {
  try {
    verifySignature(request, body, { accessKeys, nowMs, services: signedServices });
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
