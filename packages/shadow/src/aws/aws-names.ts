import type { ShadowLimits } from "../manager/manager-options.ts";
import { ShadowError } from "../model/shadow-error.ts";

/** The requests of a client. */
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
  /** Undefined for a request. Only the service publishes responses. */
  readonly answer?: ShadowAnswer;
}

const prefix = "$aws/things/";
const shape =
  /^\$aws\/things\/([^/]+)\/shadow(?:\/name\/([^/]+))?\/(get|update|delete)(?:\/(accepted|rejected|delta|documents))?$/;

/**
 * Parses a topic of the shadow service. Returns undefined for any other topic. Names are not checked here.
 *
 * @example
 * parseShadowTopic("$aws/things/lamp/shadow/update"); // { thingName: "lamp", shadowName: "", action: "update" }
 */
export function parseShadowTopic(topic: string): ShadowTopic | undefined {
  if (!topic.startsWith(prefix)) return undefined;
  const [, thingName, shadowName = "", action, answer] = shape.exec(topic) ?? [];
  if (thingName === undefined) return undefined;
  const isOfUpdates = answer === "delta" || answer === "documents";
  if (isOfUpdates && action !== "update") return undefined;
  return {
    thingName,
    shadowName,
    action: action as ShadowAction,
    ...(answer !== undefined && { answer: answer as ShadowAnswer }),
  };
}

/**
 * Returns whether a topic is reserved for the shadow service, even if the service has no such topic.
 *
 * @example
 * isShadowTopic("$aws/things/lamp/shadow/patch"); // true
 */
export function isShadowTopic(topic: string): boolean {
  return /^\$aws\/things\/[^/]*\/shadow(?:\/|$)/.test(topic);
}

/**
 * Returns a topic of the shadow service.
 *
 * @example
 * shadowTopic({ thingName: "lamp", shadowName: "", action: "get" }); // "$aws/things/lamp/shadow/get"
 */
export function shadowTopic({ thingName, shadowName, action, answer }: ShadowTopic): string {
  const name = shadowName === "" ? "" : `/name/${shadowName}`;
  return `${prefix}${thingName}/shadow${name}/${action}${answer === undefined ? "" : `/${answer}`}`;
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

/** The error for a request that AWS IoT rejects, with AWS's message. */
export function requestInvalid(reason: string): ShadowError<"SHADOW_REQUEST_INVALID"> {
  return new ShadowError("SHADOW_REQUEST_INVALID", reason, { reason });
}
