/**
 * Many devices: 1,000 MQTT connections, each with its own thing that reports once a second by QoS 1, and 50 subscribers that share
 * the deltas of all things, against `tablekeep serve` in its own process on a durable folder. A device does not publish while its
 * socket has to drain or while ten of its updates are unacknowledged: a server that falls behind slows its devices down instead of
 * queueing for them. BENCH_DEVICE_SECONDS sets how long it takes: a minute by default, 600 for the target of ten minutes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { generate, parser as newParser } from "mqtt-packet";
import { cpuSeconds } from "../lib/cpu-seconds.mjs";
import { printTable, whole } from "../lib/print-table.mjs";
import { below, finish } from "../lib/targets.mjs";

const devices = Number(process.env.BENCH_DEVICES ?? 1000);
const seconds = Number(process.env.BENCH_DEVICE_SECONDS ?? 60);
const subscribers = Number(process.env.BENCH_SUBSCRIBERS ?? 50);
const maxInFlight = 10;
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));
const program = new URL("../../packages/tablekeep/bin/tablekeep.js", import.meta.url).pathname;
const ports = ["--http-port", "0", "--mqtt-port", "0", "--no-smtp", "--no-dynamodb"];
const server = spawn(process.execPath, [program, "serve", "--json", "--data", folder, ...ports], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = await once(server.stdout, "data");
const urls = Object.fromEntries(
  JSON.parse(String(line)).listeners.map(({ name, url }) => [name, new URL(url)]),
);

const total = { sent: 0, acknowledged: 0, accepted: 0, rejected: 0, deltas: 0, heldBack: 0 };
/** Milliseconds from sending an update to its acknowledgment. */
const answeredMs = [];
const memory = { before: memoryMb(), most: memoryMb() };
const all = await Promise.all(Array.from({ length: devices }, (_, at) => openDevice(`device-${at}`)));
const listening = await Promise.all(Array.from({ length: subscribers }, (_, at) => openSubscriber(at)));
const cpuBefore = cpuSeconds(server.pid);
const startedAt = performance.now();
const sampling = setInterval(() => {
  const { rss, anonymous } = memoryMb();
  memory.most = {
    rss: Math.max(rss, memory.most.rss),
    anonymous: Math.max(anonymous, memory.most.anonymous),
  };
}, 500);
await Promise.all(all.map((device) => device.run()));
const sendingSeconds = (performance.now() - startedAt) / 1000;
// What is in flight at the end is answered within a moment, or has fallen behind.
const isComplete = () =>
  total.acknowledged === total.sent && (subscribers === 0 || total.deltas >= total.accepted);
for (let waits = 0; waits < 300 && !isComplete(); waits++) await pause(100);
const wholeSeconds = (performance.now() - startedAt) / 1000;
const cpuMicros = ((cpuSeconds(server.pid) - cpuBefore) * 1e6) / Math.max(1, total.acknowledged);
clearInterval(sampling);
for (const client of [...all, ...listening]) client.close();
const stored = await storedUpdates();
const idle = memoryMb();
const unanswered = total.sent - total.accepted - total.rejected;
const lost = Math.max(0, total.accepted - stored);
const lostDeltas = subscribers === 0 ? 0 : Math.max(0, total.accepted - total.deltas);
answeredMs.sort((a, b) => a - b);
const percentile = (share) => answeredMs[Math.floor((answeredMs.length - 1) * share)] ?? 0;

console.log(
  `\n${whole(devices)} devices, one update a second each, ${whole(subscribers)} subscribers to deltas, for ${seconds} seconds`,
);
printTable([
  ["updates", "count"],
  ["due", whole(devices * seconds)],
  ["held back by the client", whole(total.heldBack)],
  ["sent", whole(total.sent)],
  ["acknowledged", whole(total.acknowledged)],
  ["stored (sum of versions)", whole(stored)],
  ["accepted, delivered", whole(total.accepted)],
  ["rejected", whole(total.rejected)],
  ["deltas, delivered", whole(total.deltas)],
]);
printTable([
  ["figure", "value", "target"],
  ["sent in", `${sendingSeconds.toFixed(1)} s`, "-"],
  ["all acknowledged after", `${wholeSeconds.toFixed(1)} s`, "-"],
  ["stored a second", whole(stored / wholeSeconds), "-"],
  ["CPU of the server for an update", `${whole(cpuMicros)} µs`, "-"],
  ["acknowledged in, p50", `${whole(percentile(0.5))} ms`, "-"],
  ["acknowledged in, p99", `${whole(percentile(0.99))} ms`, below("p99", percentile(0.99), 250, "ms")],
  ["slowest acknowledgment", `${whole(percentile(1))} ms`, "-"],
  // A rejected update may still be stored, if its deadline passed before the answer.
  ["stored, but not accepted", whole(stored - total.accepted), "-"],
  ["unanswered", whole(unanswered), below("unanswered", unanswered, 1, "updates")],
  ["accepted, and lost", whole(lost), below("lost", lost, 1, "updates")],
  ["deltas lost", whole(lostDeltas), below("deltas lost", lostDeltas, 1, "deltas")],
  ...["rss", "anonymous"].map((kind) => [
    `${kind} memory: before, most, after`,
    `${whole(memory.before[kind])}, ${whole(memory.most[kind])}, ${whole(idle[kind])} MB`,
    kind === "anonymous" ? below("anonymous memory", memory.most[kind], 500, "MB") : "-",
  ]),
]);
server.kill("SIGTERM");
await once(server, "exit");
rmSync(folder, { recursive: true });
finish();

/** Connects a device and subscribes it to the answers of its thing. */
async function openDevice(thing) {
  const topic = `$aws/things/${thing}/shadow/update`;
  const sentAt = new Map();
  const answers = ["accepted", "rejected"].map((answer) => `${topic}/${answer}`);
  const socket = await openClient(thing, answers, ({ cmd, messageId, topic: answered }) => {
    if (cmd === "puback") {
      total.acknowledged++;
      answeredMs.push(performance.now() - sentAt.get(messageId));
      sentAt.delete(messageId);
    }
    if (cmd === "publish") total[answered.endsWith("/accepted") ? "accepted" : "rejected"]++;
  });
  const publish = (messageId) => {
    // What is desired is never what is reported, so that each update has a delta.
    const state = {
      desired: { count: messageId },
      reported: { count: messageId - 1, text: "x".repeat(100) },
    };
    const payload = JSON.stringify({ state });
    sentAt.set(messageId, performance.now());
    total.sent++;
    socket.write(generate({ cmd: "publish", topic, payload, qos: 1, messageId, dup: false, retain: false }));
  };
  return {
    async run() {
      // Spread over the second, as the clocks of devices are.
      await pause(Math.random() * 1000);
      for (let count = 1; count <= seconds; count++) {
        if (socket.writableNeedDrain || sentAt.size >= maxInFlight) total.heldBack++;
        else publish(count + 1);
        await pause(1000);
      }
    },
    close: () => socket.destroy(),
  };
}

/** Connects a subscriber to the deltas of its share of the things. */
async function openSubscriber(number) {
  const things = Array.from({ length: devices }, (_, at) => at).filter((at) => at % subscribers === number);
  const topics = things.map((at) => `$aws/things/device-${at}/shadow/update/delta`);
  const socket = await openClient(`subscriber-${number}`, topics, ({ cmd }) => {
    if (cmd === "publish") total.deltas++;
  });
  return { close: () => socket.destroy() };
}

/** Connects a client and subscribes it; resolves once it is subscribed. */
async function openClient(clientId, topics, onPacket) {
  const socket = connect(Number(urls.mqtt.port), urls.mqtt.hostname);
  // A client that only listens must not be silent for longer than its keep-alive allows.
  const pings = setInterval(() => socket.write(generate({ cmd: "pingreq" })), 60_000);
  socket.once("close", () => clearInterval(pings));
  const parser = newParser();
  socket.on("data", (chunk) => parser.parse(chunk));
  const subscribed = new Promise((resolve) => {
    parser.on("packet", (packet) => (packet.cmd === "suback" ? resolve() : onPacket(packet)));
  });
  const subscriptions = topics.map((topic) => ({ topic, qos: 0 }));
  socket.write(generate({ cmd: "connect", clientId, clean: true, keepalive: 300 }));
  if (topics.length > 0) {
    socket.write(generate({ cmd: "subscribe", messageId: 1, subscriptions }));
    await subscribed;
  }
  return socket;
}

/** Every update adds one to the version of its shadow. */
async function storedUpdates() {
  let versions = 0;
  for (let at = 0; at < devices; at++) {
    const answer = await fetch(new URL(`/api/v3/shadows/device-${at}`, urls.http));
    versions += (await answer.json()).version ?? 0;
  }
  return versions;
}

/** Resident memory of the server, and the part of it that is not mapped from files. */
function memoryMb() {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  const kilobytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return { rss: kilobytes("VmRSS") / 1024, anonymous: kilobytes("RssAnon") / 1024 };
}
