import { type Clock, isTablekeepError } from "@tablekeep/core";
import {
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
  type ShadowChange,
  type ShadowLimits,
  type ShadowTopic,
  shadowTopic,
  tokenFor,
} from "@tablekeep/shadow";
import type { ShadowFeed } from "./shadow-feed.ts";

/** A message for the subscribers of its topic. */
export interface ShadowMessage {
  readonly topic: string;
  readonly payload: string;
}

/** Dependencies of the shadow service. */
export interface ShadowServiceOptions {
  readonly shadows: AwsShadows;
  readonly limits: ShadowLimits;
  readonly clock: Clock;
  /** All changes to the shadows. */
  readonly feed: Pick<ShadowFeed, "listen" | "isLate">;
  /** Sends a message to its subscribers. */
  readonly publish: (message: ShadowMessage) => void;
  /** Whether a topic has subscribers: documents without subscribers are not created. @default every topic has */
  readonly isWanted?: (topic: string) => boolean;
  /** Called with an unexpected error of a request. */
  readonly onUnexpected: (error: unknown) => void;
}

/**
 * The shadow service of AWS IoT with its messages. `accepted` and `rejected` answer a request and are sent by the instance that
 * performs it; `delta` and `documents` follow every change to a shadow by any writer, as does `delete/accepted`.
 */
export interface ShadowService {
  /** Updates a shadow, sends `accepted` and returns it. Throws if the update is rejected, and sends nothing. */
  update(shadow: AwsShadowName, payload: Payload): Promise<DocumentObject>;
  /** Deletes a shadow, sends `accepted` and returns it. */
  delete(shadow: AwsShadowName, payload: Payload): Promise<DocumentObject>;
  /** Performs the request of a message, and returns the message of its response. Never throws. */
  answer(request: ShadowTopic, payload: Payload): Promise<readonly ShadowMessage[]>;
}

export function shadowService(options: ShadowServiceOptions): ShadowService {
  const { shadows, limits, clock, publish, isWanted = () => true, onUnexpected } = options;
  const deletes = new PendingDeletes(options.feed.isLate === true);
  options.feed.listen((change) => announce(change, options, deletes));
  const perform = async (action: ShadowAction, shadow: AwsShadowName, payload: Payload) => {
    if (action === "update") return (await shadows.update(shadow, payload)).accepted;
    if (action === "delete") return deletes.add(shadow, shadows.delete(shadow, payload));
    return shadows.get(shadow, payload);
  };
  const published = async (action: ShadowAction, shadow: AwsShadowName, payload: Payload) => {
    const accepted = await perform(action, shadow, payload);
    if (isWanted(shadowTopic({ ...shadow, action, answer: "accepted" })))
      publish(messageOf(shadow, action, "accepted", accepted));
    return accepted;
  };
  return {
    update: (shadow, payload) => published("update", shadow, payload),
    delete: (shadow, payload) => published("delete", shadow, payload),
    async answer(request, payload) {
      const { action } = request;
      try {
        return [messageOf(request, action, "accepted", await perform(action, request, payload))];
      } catch (error) {
        if (!isTablekeepError(error)) onUnexpected(error);
        const rejection = isTablekeepError(error) ? awsErrorOf(error, request) : awsError(500);
        const timestamp = Math.floor(clock.now() / 1000);
        const document = rejectedDocument(rejection, { timestamp, clientToken: tokenFor(payload, limits) });
        return [messageOf(request, action, "rejected", document)];
      }
    },
  };
}

/** Announces a change to subscribers. */
function announce(
  change: ShadowChange,
  { shadows, publish, isWanted = () => true }: ShadowServiceOptions,
  deletes: PendingDeletes,
): void {
  const shadow = { thingName: change.id, shadowName: change.name };
  if (!hasTopics(shadow)) return;
  if (change.kind === "updated") {
    const wanted = (["delta", "documents"] as const).filter((answer) =>
      isWanted(shadowTopic({ ...shadow, action: "update", answer })),
    );
    if (wanted.length === 0) return;
    const documents = shadows.documentsOf(change.update);
    for (const answer of wanted) {
      const document = documents[answer];
      if (document !== undefined) publish(messageOf(shadow, "update", answer, document));
    }
    return;
  }
  const { version, timeStamp } = change.deletion;
  const document = { version, timestamp: Number(timeStamp / 1_000_000_000n) };
  deletes.unlessOwn(shadow, version, () => publish(messageOf(shadow, "delete", "accepted", document)));
}

/** The number of deletes to remember until their changes arrive. */
const maxEnded = 10_000;

/**
 * The deletes that this service is performing. Each sends its own `accepted`, with the token of its request; for any other
 * delete the change itself is announced.
 */
class PendingDeletes {
  readonly #versions = new Map<string, Set<Promise<unknown>>>();
  /** Deletes that have ended and whose changes have not arrived yet. */
  readonly #ended = new Set<string>();
  readonly #changesAreLate: boolean;

  constructor(changesAreLate: boolean) {
    this.#changesAreLate = changesAreLate;
  }

  /** Tracks a delete until it has ended. */
  add(shadow: AwsShadowName, work: Promise<DocumentObject>): Promise<DocumentObject> {
    const key = keyOf(shadow);
    const version = work.then(
      (accepted) => accepted["version"],
      () => undefined,
    );
    const versions = this.#versions.get(key) ?? new Set();
    this.#versions.set(key, versions.add(version));
    void version.then((deleted) => {
      if (this.#changesAreLate && deleted !== undefined) this.#remember(`${key} ${deleted}`);
      versions.delete(version);
      if (versions.size === 0) this.#versions.delete(key);
    });
    return work;
  }

  #remember(deleted: string): void {
    this.#ended.add(deleted);
    const [oldest] = this.#ended;
    if (oldest !== undefined && this.#ended.size > maxEnded) this.#ended.delete(oldest);
  }

  /** Runs `announce` unless one of the deletes in flight has deleted this version. */
  unlessOwn(shadow: AwsShadowName, version: number, run: () => void): void {
    if (this.#ended.delete(`${keyOf(shadow)} ${version}`)) return;
    const versions = this.#versions.get(keyOf(shadow));
    if (versions === undefined) {
      run();
      return;
    }
    void Promise.all(versions).then((own) => {
      if (!own.includes(version)) run();
    });
  }
}

function keyOf({ thingName, shadowName }: AwsShadowName): string {
  return JSON.stringify([thingName, shadowName]);
}

function messageOf(
  { thingName, shadowName }: AwsShadowName,
  action: ShadowAction,
  answer: ShadowAnswer,
  document: DocumentObject,
): ShadowMessage {
  return { topic: shadowTopic({ thingName, shadowName, action, answer }), payload: printJson(document) };
}

/** Names that our own API accepts and AWS does not may contain the separators and wildcards of topics. */
function hasTopics({ thingName, shadowName }: AwsShadowName): boolean {
  return !/[/+#\0]/.test(thingName + shadowName);
}
