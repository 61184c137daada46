import type { ShadowLimits } from "../manager/manager-options.ts";
import { ShadowError } from "../model/shadow-error.ts";

/** What a client may ask for by a message. */
export type ShadowAction = "get" | "update" | "delete";

/** The kinds of messages that the service sends. */
export type ShadowAnswer = "accepted" | "rejected" | "delta" | "documents";

/** A shadow by AWS IoT's names. */
export interface AwsShadowName {
  readonly thingName: string;
  /** "" for the classic shadow. */
  readonly shadowName: string;
}

/** A reserved topic of a shadow. */
export interface ShadowTopic extends AwsShadowName {
  readonly action: ShadowAction;
  /** Undefined for a request. Only the service publishes answers. */
  readonly answer?: ShadowAnswer;
}

const prefix = "$aws/things/";
const shape =
  /^\$aws\/things\/([^/]+)\/shadow(?:\/name\/([^/]+))?\/(get|update|delete)(?:\/(accepted|rejected|delta|documents))?$/;

/** What a topic is about; undefined for any other topic. Names are not checked here. */
export function parseShadowTopic(topic: string): ShadowTopic | undefined {
  if (!topic.startsWith(prefix)) return undefined;
  const [, thingName, shadowName = "", action, answer] = shape.exec(topic) ?? [];
  if (thingName === undefined) return undefined;
  const isTold = answer === "delta" || answer === "documents";
  if (isTold && action !== "update") return undefined;
  return {
    thingName,
    shadowName,
    action: action as ShadowAction,
    ...(answer !== undefined && { answer: answer as ShadowAnswer }),
  };
}

/** The topic of a shadow. */
export function shadowTopic({ thingName, shadowName, action, answer }: ShadowTopic): string {
  const name = shadowName === "" ? "" : `/name/${shadowName}`;
  return `${prefix}${thingName}/shadow${name}/${action}${answer === undefined ? "" : `/${answer}`}`;
}

/** A request to AWS IoT's data plane, by its path. */
export type ShadowRoute =
  | (AwsShadowName & { readonly operation: "get" | "update" | "delete" })
  | {
      readonly operation: "listNamed";
      readonly thingName: string;
      readonly nextToken?: string;
      /** As it was given: it may be no number. */
      readonly pageSize?: string;
    }
  | { readonly operation: "publish"; readonly topic: string; readonly qos: string }
  | { readonly operation: "methodNotAllowed" };

const methods: Readonly<Record<string, "get" | "update" | "delete">> = {
  GET: "get",
  POST: "update",
  DELETE: "delete",
};

/** What a request asks for; undefined if its path is none of the data plane's. The path is as it was sent, still encoded. */
export function shadowRoute(method: string, path: string, query: URLSearchParams): ShadowRoute | undefined {
  const [, thing] = /^\/things\/([^/]+)\/shadow$/.exec(path) ?? [];
  if (thing !== undefined) {
    const operation = methods[method];
    const thingName = decoded(thing);
    if (operation === undefined || thingName === undefined) return { operation: "methodNotAllowed" };
    return { operation, thingName, shadowName: query.get("name") ?? "" };
  }
  const [, listed] = /^\/api\/things\/shadow\/ListNamedShadowsForThing\/([^/]+)$/.exec(path) ?? [];
  if (listed !== undefined) return listRoute(method, decoded(listed), query);
  const [, topic] = /^\/topics\/(.+)$/.exec(path) ?? [];
  const name = topic === undefined ? undefined : decoded(topic);
  if (name === undefined) return undefined;
  if (method !== "POST") return { operation: "methodNotAllowed" };
  return { operation: "publish", topic: name, qos: query.get("qos") ?? "0" };
}

function listRoute(method: string, thingName: string | undefined, query: URLSearchParams): ShadowRoute {
  if (method !== "GET" || thingName === undefined) return { operation: "methodNotAllowed" };
  const [nextToken, pageSize] = [query.get("nextToken"), query.get("pageSize")];
  return {
    operation: "listNamed",
    thingName,
    ...(nextToken !== null && { nextToken }),
    ...(pageSize !== null && { pageSize }),
  };
}

/** The SDKs encode `:` and `$`. Returns undefined if decoding fails. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** AWS: API_iotdata, thingName and shadowName. */
const thingNames = /^[a-zA-Z0-9:_-]+$/;
const shadowNames = /^[$a-zA-Z0-9:_-]+$/;

/** Throws for names that AWS IoT rejects. */
export function checkNames({ thingName, shadowName }: AwsShadowName, limits: ShadowLimits): void {
  if (!thingNames.test(thingName) || thingName.length > limits.thingNameLength)
    throw requestInvalid("Invalid thing name");
  if (shadowName === "") return;
  if (!shadowNames.test(shadowName) || shadowName.length > limits.shadowNameLength)
    throw requestInvalid("Invalid shadow name");
}

/** The error for a request that AWS IoT would refuse, in AWS's words. */
export function requestInvalid(reason: string): ShadowError<"SHADOW_REQUEST_INVALID"> {
  return new ShadowError("SHADOW_REQUEST_INVALID", reason, { reason });
}
