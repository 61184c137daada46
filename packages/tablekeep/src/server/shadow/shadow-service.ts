import { isTablekeepError } from "@tablekeep/core";
import {
  type AcceptedUpdate,
  type AwsShadowName,
  type AwsShadows,
  awsError,
  awsErrorOf,
  type DocumentObject,
  type Payload,
  printJson,
  rejectedDocument,
  type ShadowAction,
  type ShadowAnswer,
  type ShadowDeletion,
  type ShadowManager,
  type ShadowTopic,
  type ShadowUpdate,
  shadowTopic,
  tokenFor,
} from "@tablekeep/shadow";

/** A message for whoever subscribed to its topic. */
export interface ShadowMessage {
  readonly topic: string;
  readonly payload: string;
}

/** What an update asks for: null removes a half. */
export type StatePatch = { readonly [Half in "desired" | "reported"]?: DocumentObject | null };

/** The shadow service of AWS IoT with its messages, whoever asks: HTTP or MQTT. */
export interface ShadowService {
  /** Updates a shadow and tells the subscribers; gives the answer. Throws where it is refused, and tells nobody. */
  update(shadow: AwsShadowName, payload: Payload, signal?: AbortSignal): Promise<DocumentObject>;
  /** Deletes a shadow and tells the subscribers. */
  delete(shadow: AwsShadowName, payload: Payload, signal?: AbortSignal): Promise<DocumentObject>;
  /** Does what a message on a request topic asks for; gives the messages that answer it. Never throws. */
  answer(request: ShadowTopic, payload: Payload): Promise<readonly ShadowMessage[]>;
  /** Tells the subscribers of an update that was made another way: `state` is what was asked for. */
  tellUpdate(shadow: AwsShadowName, state: StatePatch, update: ShadowUpdate): void;
  /** Tells the subscribers of a deletion that was made another way. */
  tellDelete(shadow: AwsShadowName, deletion: ShadowDeletion): void;
  /** Sends messages to the subscribers. */
  publish(messages: readonly ShadowMessage[]): void;
  /** Where messages go from now on. */
  subscribers: (message: ShadowMessage) => void;
}

export function shadowService(
  shadows: AwsShadows,
  manager: ShadowManager,
  onFault: (error: unknown) => void,
): ShadowService {
  const message = (
    shadow: AwsShadowName,
    action: ShadowAction,
    answer: ShadowAnswer,
    document: DocumentObject,
  ) => ({
    topic: shadowTopic({ thingName: shadow.thingName, shadowName: shadow.shadowName, action, answer }),
    payload: printJson(document),
  });
  const messagesOf = (shadow: AwsShadowName, { accepted, delta, documents }: AcceptedUpdate) => [
    ...(delta === undefined ? [] : [message(shadow, "update", "delta", delta)]),
    message(shadow, "update", "documents", documents),
    message(shadow, "update", "accepted", accepted),
  ];
  const updated = async (shadow: AwsShadowName, payload: Payload, signal?: AbortSignal) => {
    const update = await shadows.update(shadow, payload, { signal });
    return { accepted: update.accepted, messages: messagesOf(shadow, update) };
  };
  const deleted = async (shadow: AwsShadowName, payload: Payload, signal?: AbortSignal) => {
    const accepted = await shadows.delete(shadow, payload, { signal });
    return { accepted, messages: [message(shadow, "delete", "accepted", accepted)] };
  };
  const service: ShadowService = {
    subscribers: () => {},
    publish(messages) {
      for (const each of messages) service.subscribers(each);
    },
    tellUpdate(shadow, state, update) {
      if (!update.written || !hasTopics(shadow)) return;
      service.publish(messagesOf(shadow, shadows.documentsOf(update, { state })));
    },
    tellDelete(shadow, { version, timeStamp }) {
      const document = { version, timestamp: Number(timeStamp / 1_000_000_000n) };
      if (hasTopics(shadow)) service.publish([message(shadow, "delete", "accepted", document)]);
    },
    async update(shadow, payload, signal) {
      const { accepted, messages } = await updated(shadow, payload, signal);
      service.publish(messages);
      return accepted;
    },
    async delete(shadow, payload, signal) {
      const { accepted, messages } = await deleted(shadow, payload, signal);
      service.publish(messages);
      return accepted;
    },
    async answer(request, payload) {
      const { action } = request;
      try {
        if (action === "update") return (await updated(request, payload)).messages;
        if (action === "delete") return (await deleted(request, payload)).messages;
        return [message(request, "get", "accepted", await shadows.get(request, payload))];
      } catch (error) {
        if (!isTablekeepError(error)) onFault(error);
        const refusal = isTablekeepError(error) ? awsErrorOf(error, request) : awsError(500);
        return [
          message(request, action, "rejected", rejectedDocument(refusal, tokenFor(payload, manager.limits))),
        ];
      }
    },
  };
  return service;
}

/** Names that our own API takes and AWS does not may hold what divides topics, or stands for any. */
function hasTopics({ thingName, shadowName }: AwsShadowName): boolean {
  return !/[/+#\0]/.test(thingName + shadowName);
}
