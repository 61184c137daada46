import { type CancelTimer, type Clock, sleep } from "@tablekeep/core";
import type { IPublishPacket, Packet } from "mqtt-packet";
import { type DeviceLink, openLink } from "./device-link.ts";
import { type DeviceStep, planDevice } from "./device-steps.ts";
import type { Latencies } from "./latencies.ts";

/** What all devices together have done so far. */
export interface Tally {
  sent: number;
  duplicates: number;
  old: number;
  accepted: number;
  rejected: number;
  repeated: number;
  applied: number;
  offline: number;
  reconnected: number;
  readonly latencies: Latencies;
}

/** Dependencies of a device. */
export interface SimulatedDeviceOptions {
  readonly url: URL;
  readonly seed: string;
  readonly device: number;
  readonly thing: string;
  /** Milliseconds between two steps. */
  readonly intervalMs: number;
  /** The number of steps. */
  readonly steps: number;
  readonly clock: Clock;
  readonly tally: Tally;
}

/** Updates of one device that are not acknowledged; then it waits. */
const maxInFlight = 10;
/** The wait between two attempts to connect again, in milliseconds. */
const retryMs = 500;
/** The polling interval of a device that waits for acknowledgments or answers, in milliseconds. */
const pollMs = 20;
const lastMessageId = 65_535;

/** A device with its own connection, session and thing. */
export class SimulatedDevice {
  readonly #options: SimulatedDeviceOptions;
  readonly #topic: string;
  readonly #plan: ReturnType<typeof planDevice>;
  #link: DeviceLink | undefined;
  #messageId = 0;
  /** Updates that are not acknowledged, by packet id. */
  readonly #inFlight = new Map<number, IPublishPacket>();
  /** When each update without an answer was sent, by client token. */
  readonly #waiting = new Map<string, number>();
  readonly #applying = new Set<CancelTimer>();
  #isOffline = false;

  constructor(options: SimulatedDeviceOptions) {
    this.#options = options;
    this.#topic = `$aws/things/${options.thing}/shadow/update`;
    this.#plan = planDevice(options.seed, options.device);
  }

  /** Updates without an answer. */
  get unanswered(): number {
    return this.#waiting.size;
  }

  /** Connects for the first time. */
  async connect(signal: AbortSignal): Promise<void> {
    const { url, thing, clock } = this.#options;
    this.#link = await openLink({
      url,
      clientId: thing,
      clock,
      signal,
      onPacket: (packet) => this.#take(packet),
      onEnd: () => {
        this.#link = undefined;
      },
    });
    const subscriptions = ["accepted", "rejected", "delta"].map((answer) => ({
      topic: `${this.#topic}/${answer}`,
      qos: 1 as const,
    }));
    this.#link.send({ cmd: "subscribe", messageId: this.#nextId(), subscriptions });
    for (const packet of this.#inFlight.values()) this.#link.send({ ...packet, dup: true });
  }

  /** Performs all steps. Rejects only if `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, steps } = this.#options;
    const start = clock.monotonic() + this.#plan.offset * intervalMs;
    let backlog: DeviceStep[] = [];
    let offlineUntil = 0;
    for (const step of this.#plan.steps) {
      if (step.count > steps) break;
      const dueIn = start + step.count * intervalMs - clock.monotonic();
      if (dueIn > 0) await sleep(clock, dueIn, signal);
      backlog.push(step);
      if (step.kind === "offline" && offlineUntil <= step.count) {
        offlineUntil = step.count + step.intervals;
        this.#goOffline();
      }
      if (step.count < offlineUntil && step.count < steps) continue;
      this.#isOffline = false;
      for (const each of backlog) await this.#report(each, signal);
      backlog = [];
    }
  }

  /** Resolves once every update has its answer. */
  async settle(signal: AbortSignal): Promise<void> {
    while (this.#waiting.size > 0) {
      await this.#connected(signal);
      await sleep(this.#options.clock, pollMs, signal);
    }
  }

  /** Disconnects, and ends the session. */
  close(): void {
    for (const cancel of this.#applying) cancel();
    this.#link?.send({ cmd: "disconnect", reasonCode: 0, properties: { sessionExpiryInterval: 0 } });
    this.#link?.end();
  }

  #goOffline(): void {
    this.#options.tally.offline++;
    this.#isOffline = true;
    this.#link?.cut();
    this.#link = undefined;
  }

  async #connected(signal: AbortSignal): Promise<void> {
    while (this.#link === undefined) {
      try {
        await this.connect(signal);
        this.#options.tally.reconnected++;
      } catch {
        await sleep(this.#options.clock, retryMs, signal);
      }
    }
  }

  /** Sends the report of a step, once few enough are in flight. */
  async #report({ kind, count, level }: DeviceStep, signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, tally } = this.#options;
    await this.#connected(signal);
    while (this.#inFlight.size >= maxInFlight) {
      await sleep(clock, pollMs, signal);
      await this.#connected(signal);
    }
    // The device's own clock, which begins with the simulation and is wrong.
    const at = count * intervalMs + this.#plan.skewMs;
    const packet = this.#send(String(count), { count, level, at }, kind === "old" ? { version: 1 } : {});
    if (kind === "old") tally.old++;
    if (kind !== "duplicate") return;
    tally.duplicates++;
    this.#link?.send({ ...packet, dup: true });
  }

  #send(name: string, reported: unknown, more: object = {}): IPublishPacket {
    const { tally, clock, thing } = this.#options;
    const clientToken = `${thing}-${name}`.slice(-64);
    const messageId = this.#nextId();
    const payload = JSON.stringify({ state: { reported }, clientToken, ...more });
    const packet: IPublishPacket = {
      cmd: "publish",
      topic: this.#topic,
      payload,
      qos: 1,
      messageId,
      dup: false,
      retain: false,
    };
    this.#inFlight.set(messageId, packet);
    this.#waiting.set(clientToken, clock.monotonic());
    tally.sent++;
    this.#link?.send(packet);
    return packet;
  }

  #take(packet: Packet): void {
    const { tally } = this.#options;
    if (packet.cmd === "puback") {
      const acknowledged = this.#inFlight.get(packet.messageId ?? 0);
      this.#inFlight.delete(packet.messageId ?? 0);
      // Not performed: there will be no other answer.
      if (acknowledged !== undefined && (packet.reasonCode ?? 0) >= 0x80)
        this.#answered(tokenOf(acknowledged.payload), "rejected");
      return;
    }
    if (packet.cmd !== "publish") return;
    if (packet.qos === 1) this.#link?.send({ cmd: "puback", messageId: packet.messageId, reasonCode: 0 });
    const answer = packet.topic.slice(this.#topic.length + 1);
    if (answer === "delta") this.#applyLater(packet.payload);
    else if (answer === "accepted" || answer === "rejected") this.#answered(tokenOf(packet.payload), answer);
    else tally.repeated++;
  }

  #answered(token: string, answer: "accepted" | "rejected"): void {
    const { tally, clock } = this.#options;
    const sentAt = this.#waiting.get(token);
    if (sentAt === undefined) {
      tally.repeated++;
      return;
    }
    this.#waiting.delete(token);
    tally[answer]++;
    tally.latencies.add(clock.monotonic() - sentAt);
  }

  /** Applies a delta, which takes a while, and reports it. */
  #applyLater(payload: string | Buffer): void {
    const { clock, tally } = this.#options;
    const { state, version } = JSON.parse(String(payload)) as { state: object; version: number };
    if (this.#applying.size >= maxInFlight) return;
    const cancel = clock.after(
      this.#plan.applyMs,
      () => {
        this.#applying.delete(cancel);
        // The next delta repeats what is still to be applied.
        if (this.#isOffline || this.#link === undefined) return;
        tally.applied++;
        this.#send(`d${version}`, state);
      },
      { background: true },
    );
    this.#applying.add(cancel);
  }

  #nextId(): number {
    do this.#messageId = (this.#messageId % lastMessageId) + 1;
    while (this.#inFlight.has(this.#messageId));
    return this.#messageId;
  }
}

function tokenOf(payload: string | Buffer): string {
  return String((JSON.parse(String(payload)) as { clientToken?: unknown }).clientToken);
}
