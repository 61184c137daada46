/** What a client may ask for by a message. */
export type ShadowAction = "get" | "update" | "delete";

/** What the service answers, or tells. */
export type ShadowAnswer = "accepted" | "rejected" | "delta" | "documents";

/** A shadow by the names that AWS IoT gives it. */
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
