import { randomBytes } from "node:crypto";
import { systemClock, withDeadline } from "@tablekeep/core";
import type { IPublishPacket, Packet } from "mqtt-packet";
import { ServerError } from "../server/server-error.ts";
import { type DeviceLink, openLink } from "../simulator/device-link.ts";
import { printed } from "./differences.ts";
import { timedOut, type WaitLimits } from "./wait-until.ts";

/** State of a shadow: values by name. */
type State = Readonly<Record<string, unknown>>;

/** How a device behaves. */
export interface DeviceOptions {
  /** The name of its shadow. @default the classic one */
  readonly shadowName?: string;
  /**
   * What it reports after a delta: true reports the delta itself, a function returns what to report, now or later, or undefined to
   * report nothing. @default true
   */
  readonly apply?: boolean | ((delta: State) => State | undefined | Promise<State | undefined>);
  /** Adds `at` to each report: the device's own clock, in milliseconds since 1970, which is ahead by this, or behind if negative. @default none */
  readonly clockSkewMs?: number;
}

/** How to send a report. */
export interface ReportOptions extends WaitLimits {
  /** Sends the message a second time, as a device does that has seen no acknowledgment. @default false */
  readonly duplicate?: boolean;
  /** The version that the shadow must have: an old message expects one that it no longer has. @default any */
  readonly version?: number;
}

/** The answer to a report. */
export type DeviceAnswer =
  | { readonly kind: "accepted"; readonly version: number }
  | { readonly kind: "rejected"; readonly code: number; readonly message: string };

/** A device of a test, with its own MQTT connection and session. */
export interface TestDevice extends AsyncDisposable {
  readonly thing: string;
  /** The deltas that it has received, the newest last; at most 1,000. */
  readonly deltas: readonly State[];
  /**
   * Reports a state, and returns the answer. Without a connection, the report waits for the next one.
   *
   * @example
   * const answer = await lamp.report({ on: true }, { duplicate: true });
   */
  report(state: State, options?: ReportOptions): Promise<DeviceAnswer>;
  /**
   * Loses the connection without DISCONNECT, as when the network fails.
   *
   * @example
   * lamp.goOffline();
   * await t.shadow("lamp").desire({ on: true });
   * await lamp.goOnline();
   */
  goOffline(): void;
  /**
   * Connects again: sends waiting reports, and receives the desired state.
   *
   * @example
   * await lamp.goOnline();
   * await t.shadow("lamp").waitFor({ delta: null });
   */
  goOnline(): Promise<void>;
  /**
   * Disconnects, and ends the session.
   *
   * @example
   * await lamp.close();
   */
  close(): Promise<void>;
}

/** Where the device connects. */
export interface DevicePlace extends DeviceOptions {
  readonly url: string;
  readonly thing: string;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** Reports without an answer. */
const maxWaiting = 100;
const maxDeltas = 1_000;
/** Milliseconds for the subscriptions of a new connection. */
const connectMs = 30_000;

/** Connects a device. Its subscriptions are active when the promise resolves. */
export async function openDevice(place: DevicePlace): Promise<TestDevice> {
  const device = new Device(place);
  try {
    await device.goOnline();
  } catch (error) {
    await device.close();
    const reason = error instanceof Error ? error.message : String(error);
    const details = { host: new URL(place.url).host, reason };
    throw new ServerError(
      "SERVER_SIMULATION_FAILED",
      `cannot connect ${place.thing}: ${reason}`,
      details,
      error,
    );
  }
  return device;
}

interface Waiting {
  readonly packet: IPublishPacket;
  readonly answered: (answer: DeviceAnswer) => void;
}

class Device implements TestDevice {
  readonly thing: string;
  readonly deltas: State[] = [];
  readonly #place: DevicePlace;
  readonly #topic: string;
  #link: DeviceLink | undefined;
  #messageId = 0;
  /** Reports without an answer, by client token. */
  readonly #waiting = new Map<string, Waiting>();
  #subscribed: (() => void) | undefined;

  constructor(place: DevicePlace) {
    const { thing, shadowName } = place;
    this.thing = thing;
    this.#place = place;
    this.#topic = `$aws/things/${thing}/shadow${shadowName === undefined ? "" : `/name/${shadowName}`}`;
  }

  async report(state: State, options: ReportOptions = {}): Promise<DeviceAnswer> {
    const { duplicate = false, version, timeoutMs = 4_000, signal } = options;
    const { signal: ended, clockSkewMs } = this.#place;
    if (this.#waiting.size >= maxWaiting)
      throw new ServerError(
        "SERVER_SIMULATION_FAILED",
        `${maxWaiting} reports of ${this.thing} wait for their answers`,
        {
          host: new URL(this.#place.url).host,
          reason: "too many unanswered reports: await them",
        },
      );
    const clientToken = randomBytes(8).toString("hex");
    const reported = clockSkewMs === undefined ? state : { ...state, at: systemClock.now() + clockSkewMs };
    const packet = this.#message("update", {
      state: { reported },
      clientToken,
      ...(version !== undefined && { version }),
    });
    const answer = new Promise<DeviceAnswer>((answered) =>
      this.#waiting.set(clientToken, { packet, answered }),
    );
    this.#link?.send(packet);
    if (duplicate) this.#link?.send({ ...packet, dup: true });
    try {
      return await withDeadline(() => answer, {
        clock: systemClock,
        ms: timeoutMs,
        signal: signal === undefined ? ended : AbortSignal.any([ended, signal]),
        timedOut: () =>
          timedOut(
            `answer to the report ${printed(state)} of ${this.thing}`,
            timeoutMs,
            this.#link ? [] : ["the device is offline"],
          ),
      });
    } finally {
      this.#waiting.delete(clientToken);
    }
  }

  goOffline(): void {
    this.#link?.cut();
    this.#link = undefined;
  }

  async goOnline(): Promise<void> {
    if (this.#link !== undefined) return;
    const { url, signal } = this.#place;
    const link = await openLink({
      url: new URL(url),
      clientId: this.thing,
      clock: systemClock,
      signal,
      onPacket: (packet) => this.#take(packet),
      onEnd: () => {
        if (this.#link === link) this.#link = undefined;
      },
    });
    this.#link = link;
    const answers = ["update/accepted", "update/rejected", "update/delta", "get/accepted"];
    const subscriptions = answers.map((answer) => ({ topic: `${this.#topic}/${answer}`, qos: 1 as const }));
    const isSubscribed = new Promise<void>((resolve) => {
      this.#subscribed = resolve;
    });
    link.send({ cmd: "subscribe", messageId: this.#nextId(), subscriptions });
    await withDeadline(() => isSubscribed, { clock: systemClock, ms: connectMs, signal });
    for (const { packet } of this.#waiting.values()) link.send({ ...packet, dup: true });
    // Deltas of a time without a session are in the shadow only.
    link.send(this.#message("get", {}));
  }

  async close(): Promise<void> {
    this.#link?.send({ cmd: "disconnect", reasonCode: 0, properties: { sessionExpiryInterval: 0 } });
    this.#link?.end();
    this.#link = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #message(action: "get" | "update", document: object): IPublishPacket {
    const messageId = this.#nextId();
    const payload = JSON.stringify(document);
    return {
      cmd: "publish",
      topic: `${this.#topic}/${action}`,
      payload,
      qos: 1,
      messageId,
      dup: false,
      retain: false,
    };
  }

  #take(packet: Packet): void {
    if (packet.cmd === "suback") this.#subscribed?.();
    if (packet.cmd !== "publish") return;
    if (packet.qos === 1) this.#link?.send({ cmd: "puback", messageId: packet.messageId, reasonCode: 0 });
    const document = JSON.parse(String(packet.payload)) as Answer;
    const answer = packet.topic.slice(this.#topic.length + 1);
    if (answer === "update/delta") this.#apply(document.state as State);
    if (answer === "get/accepted" && document.state?.delta !== undefined)
      this.#apply(document.state.delta as State);
    const waiting = this.#waiting.get(document.clientToken ?? "");
    if (answer === "update/accepted") waiting?.answered({ kind: "accepted", version: document.version ?? 0 });
    if (answer === "update/rejected")
      waiting?.answered({ kind: "rejected", code: document.code ?? 0, message: document.message ?? "" });
  }

  #apply(delta: State): void {
    this.deltas.push(delta);
    if (this.deltas.length > maxDeltas) this.deltas.shift();
    const { apply = true } = this.#place;
    if (apply === false) return;
    const report = async () => {
      const state = apply === true ? delta : await apply(delta);
      if (state !== undefined) await this.report(state);
    };
    // The test sees it in the shadow, which has no such report.
    report().catch(() => undefined);
  }

  #nextId(): number {
    this.#messageId = (this.#messageId % 65_535) + 1;
    return this.#messageId;
  }
}

interface Answer {
  readonly clientToken?: string;
  readonly version?: number;
  readonly code?: number;
  readonly message?: string;
  readonly state?: { readonly delta?: unknown };
}
