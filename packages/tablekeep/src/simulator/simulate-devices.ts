import { setMaxListeners } from "node:events";
import { type Clock, sleep, systemClock } from "@tablekeep/core";
import { ServerError } from "../server/server-error.ts";
import { Latencies } from "./latencies.ts";
import { SimulatedDevice, type Tally } from "./simulated-device.ts";

/** Which devices to simulate, and for how long. */
export interface SimulationOptions {
  /** The address of the MQTT listener: `mqtt://host:port` or `mqtts://host:port`, with user and password if it requires them. */
  readonly url: string;
  /** The number of devices, from 1 to 10,000. */
  readonly devices: number;
  /** Determines what each device sends: 1 to 40 letters, digits or `_ : -`. @default "1" */
  readonly seed?: string;
  /** How long devices send, in seconds. @default 10 */
  readonly seconds?: number;
  /** Milliseconds more that a slow server has for the rest of the updates and their answers. @default 10,000 */
  readonly settleMs?: number;
  /** Milliseconds between two reports of a device. @default 1,000 */
  readonly intervalMs?: number;
  /** Ends the simulation. @default none */
  readonly signal?: AbortSignal;
  /** @default the system clock */
  readonly clock?: Clock;
}

/** What devices have sent, and what came back. */
export interface SimulationResult {
  readonly devices: number;
  readonly seed: string;
  /** Updates, without those that were only sent again. */
  readonly sent: number;
  readonly accepted: number;
  /** Among them are nearly all old messages. */
  readonly rejected: number;
  /** Updates without an answer. */
  readonly unanswered: number;
  /** Updates that were to be sent, and were not within the time. */
  readonly unsent: number;
  /** Updates that were sent twice on purpose. */
  readonly duplicates: number;
  /** Updates that expect version 1, on purpose. */
  readonly old: number;
  /** Further answers to an update that had one. */
  readonly repeated: number;
  /** Deltas that were applied and reported. */
  readonly applied: number;
  /** Connections that were lost on purpose. */
  readonly offline: number;
  readonly reconnected: number;
  /** Milliseconds from an update to its answer: half of all, 99 %, and the slowest. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Devices that connect at a time. */
const connectingAtOnce = 50;

/**
 * Simulates devices with a connection each. Every device reports to its own thing, `sim-<seed>-<number>`, at a constant rate; sometimes it loses its
 * connection and reports later, sends a message twice, or one that comes too late. Its clock is wrong, and it applies deltas slowly. The
 * same seed sends the same reports.
 *
 * @example
 * await using server = await startTestServer();
 * const { unanswered, p99Ms } = await simulateDevices({ url: server.mqttUrl, devices: 100, seconds: 5 });
 */
export async function simulateDevices(options: SimulationOptions): Promise<SimulationResult> {
  const { url, devices, seed, seconds, settleMs, intervalMs, clock, signal } = checked(options);
  const tally = newTally();
  const steps = Math.floor((seconds * 1000) / intervalMs);
  const ending = new AbortController();
  const ended = AbortSignal.any([ending.signal, ...(signal === undefined ? [] : [signal])]);
  // Each device waits for the end in one place at a time, and sometimes in two.
  setMaxListeners(2 * devices + connectingAtOnce, ended);
  const all = Array.from({ length: devices }, (_, device) => {
    const thing = `sim-${seed}-${device}`;
    return new SimulatedDevice({ url, seed, device, thing, intervalMs, steps, clock, tally });
  });
  try {
    await connectAll(all, url, ended);
    const limit = sleep(clock, (steps + 1) * intervalMs + settleMs, ended).catch(() => undefined);
    const work = all.map(async (device) => {
      await device.run(ended);
      await device.settle(ended);
    });
    await Promise.race([limit, Promise.all(work).catch(() => undefined)]);
    ending.abort(new Error("the time is up"));
    await Promise.allSettled(work);
  } finally {
    ending.abort(new Error("the simulation has ended"));
    for (const device of all) device.close();
  }
  const { latencies, ...counts } = tally;
  return {
    devices,
    seed,
    ...counts,
    unanswered: all.reduce((sum, device) => sum + device.unanswered, 0),
    unsent: devices * steps - (counts.sent - counts.applied),
    p50Ms: rounded(latencies.quantileMs(0.5)),
    p99Ms: rounded(latencies.quantileMs(0.99)),
    maxMs: rounded(latencies.maxMs),
  };
}

function newTally(): Tally {
  const counts = { sent: 0, duplicates: 0, old: 0, accepted: 0, rejected: 0, repeated: 0 };
  return { ...counts, applied: 0, offline: 0, reconnected: 0, latencies: new Latencies() };
}

async function connectAll(all: readonly SimulatedDevice[], url: URL, signal: AbortSignal): Promise<void> {
  const waiting = all.values();
  const worker = async () => {
    for (const device of waiting) await device.connect(signal);
  };
  try {
    await Promise.all(Array.from({ length: connectingAtOnce }, worker));
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    const message = `cannot connect the devices to ${url.host}: ${reason}`;
    throw new ServerError("SERVER_SIMULATION_FAILED", message, { host: url.host, reason }, error);
  }
}

function checked(options: SimulationOptions) {
  const { url, devices, seed = "1", seconds = 10, settleMs = 10_000, intervalMs = 1_000 } = options;
  const need = (isValid: boolean, option: string, reason: string) => {
    if (!isValid)
      throw new ServerError("SERVER_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
  };
  const within = (value: number, most: number) => Number.isInteger(value) && value >= 1 && value <= most;
  need(/^mqtts?:\/\/[^\s]+$/.test(url) && URL.canParse(url), "url", "must be like mqtt://127.0.0.1:1883");
  need(within(devices, 10_000), "devices", "must be an integer from 1 to 10000");
  need(/^[\w:-]{1,40}$/.test(seed), "seed", "must be 1 to 40 letters, digits or _ : -");
  need(seconds > 0 && seconds <= 86_400, "seconds", "must be a number above 0, at most 86400");
  need(within(intervalMs, 600_000), "intervalMs", "must be an integer from 1 to 600000");
  need(within(settleMs, 600_000), "settleMs", "must be an integer from 1 to 600000");
  const { clock = systemClock, signal } = options;
  return { url: new URL(url), devices, seed, seconds, settleMs, intervalMs, clock, signal };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
