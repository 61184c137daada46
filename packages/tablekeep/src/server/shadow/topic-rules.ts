import { isShadowTopic, parseShadowTopic } from "@tablekeep/shadow";
import type { ServiceMessage, TopicRule, TopicService } from "../mqtt/requests/topic-service.ts";
import type { TopicAccess } from "../mqtt/sessions/mqtt-session.ts";
import type { ShadowService } from "./shadow-service.ts";

/** Requests of AWS IoT Jobs. */
const jobsRequest = /^\$aws\/things\/[^/]+\/jobs\/(?:get|start-next|[^/]+\/(?:get|update))$/;

/**
 * The topics of AWS IoT. Requests to shadows are performed. Other services are not served: requests of Jobs are rejected, and others ignored, so
 * that a device that uses them keeps its connection. Only the server sends responses.
 */
export function awsTopics(
  service: Pick<ShadowService, "answer">,
  now: () => number = Date.now,
): TopicService {
  return {
    ruleOf(topic): TopicRule {
      if (!topic.startsWith("$")) return { kind: "pass" };
      if (!topic.startsWith("$aws/")) return { kind: "reject" };
      const request = parseShadowTopic(topic);
      if (jobsRequest.test(topic))
        return { kind: "request", perform: async (payload) => [jobsRejection(topic, payload, now())] };
      if (request === undefined) return { kind: isShadowTopic(topic) ? "reject" : "ignore" };
      if (request.answer !== undefined) return { kind: "reject" };
      return { kind: "request", perform: (payload) => service.answer(request, payload) };
    },
  };
}

/** AWS: the error response of Jobs, with its client token and the time in seconds. */
function jobsRejection(topic: string, payload: Buffer, now: number): ServiceMessage {
  const document = {
    code: "InvalidRequest",
    message: "Jobs are not supported",
    timestamp: Math.floor(now / 1000),
  };
  const clientToken = tokenOf(payload);
  return { topic: `${topic}/rejected`, payload: JSON.stringify({ ...document, clientToken }) };
}

function tokenOf(payload: Buffer): string | undefined {
  try {
    const { clientToken } = JSON.parse(payload.toString()) as { clientToken?: unknown };
    return typeof clientToken === "string" && clientToken.length <= 64 ? clientToken : undefined;
  } catch {
    return undefined;
  }
}

/** The access of clients without restrictions: all topics but those of the broker itself. */
export const fullAccess: TopicAccess = {
  mayPublish: () => true,
  maySubscribe: (filter) => !filter.startsWith("$") || filter.startsWith("$aws/"),
  mayReceive: () => true,
};

/** A user whose name cannot be the name of a thing, such as `+`, has none. */
const thingName = /^[a-zA-Z0-9:_-]{1,128}$/;

/** The access of a client that reaches only one thing: the reserved topics of that thing. */
export function thingAccess(thing: string): TopicAccess {
  const isWithin = (topic: string) => thingName.test(thing) && topic.startsWith(`$aws/things/${thing}/`);
  return { mayPublish: isWithin, maySubscribe: isWithin, mayReceive: isWithin };
}
