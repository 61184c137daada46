import type { MqttMessage } from "../protocol/mqtt-message.ts";
import type { LastWill } from "./connect-request.ts";
import type { SessionIdentity, Subscription } from "./mqtt-session.ts";
import type { OutboxStore, QueuedMessage } from "./outbox.ts";

/** A session as it is stored, without its messages. */
export interface SessionRecord extends Pick<SessionIdentity, "clientId" | "userName"> {
  /** Distinguishes its messages from stored ones of the client's earlier sessions. Undefined if an earlier release stored the session. */
  readonly id?: string;
  readonly expirySeconds: number;
  /** When its connection ended, in milliseconds since 1970; undefined while the client is connected. */
  readonly endedAt?: number;
  /** The order of the last message that was sent before that. While the client is connected, any message may have been sent: this is not stored for each message. */
  readonly lastSent: number;
  readonly subscriptions: readonly (readonly [name: string, options: Subscription])[];
}

/** A stored session with its messages in order. */
export interface StoredSession extends SessionRecord {
  readonly messages: readonly QueuedMessage[];
}

/** The last will of a client that has not disconnected. */
export interface WillRecord extends Pick<SessionIdentity, "clientId" | "userName"> {
  readonly will: LastWill;
  /** When its connection ended, in milliseconds since 1970; undefined while the client is connected. */
  readonly endedAt?: number;
}

/** The stored state from which a broker starts. */
export interface StoredState {
  readonly sessions: readonly StoredSession[];
  readonly retained: readonly MqttMessage[];
  readonly wills: readonly WillRecord[];
}

/** Stores sessions that outlive their connections, their messages, retained messages, and last wills. */
export interface SessionStore {
  load(): Promise<StoredState>;
  saveSession(session: SessionRecord): Promise<void>;
  /** Removes a session. Its messages are removed through its outbox. */
  removeSession(session: Pick<SessionRecord, "clientId" | "userName">): void;
  /** The store of a session's messages. */
  outboxOf(session: Pick<SessionRecord, "clientId" | "userName" | "id">): OutboxStore;
  /** Stores the retained message of a topic; an empty one removes it. */
  saveRetained(message: MqttMessage): Promise<void>;
  /** Stores the last will of a client, in place of an earlier one. */
  saveWill(will: WillRecord): Promise<void>;
  removeWill(client: Pick<WillRecord, "clientId" | "userName">): void;
  /** Resolves once everything so far is stored. */
  flush(): Promise<void>;
}

/** Stores nothing: sessions last as long as the process. */
export const noSessionStore: SessionStore = {
  load: async () => ({ sessions: [], retained: [], wills: [] }),
  saveSession: async () => {},
  removeSession() {},
  outboxOf: () => ({ save: async () => {}, remove() {} }),
  saveRetained: async () => {},
  saveWill: async () => {},
  removeWill() {},
  flush: async () => {},
};
