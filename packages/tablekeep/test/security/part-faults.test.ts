/** Errors injected into one part of a running server: the other parts keep running, and `/readyz` names the part. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { until } from "../shadow/packet-client.ts";
import { type ServedProcess, startServed } from "../shadow/served-process.ts";
import { tempFolder } from "../temp-folder.ts";

/** Where the server reads which fault to plant, at each SIGUSR2. */
const faultFile = join(dirname(tempFolder()), "fault.json");

interface Fault {
  /** The port of a listener. */
  readonly port: number;
  /** Where the error is thrown, or that the listener closes. */
  readonly kind: "accepting" | "connection" | "answer" | "close";
}

/** Runs in the server's process before the program. */
const plant = `
  import { readFileSync } from "node:fs";
  import { ServerResponse } from "node:http";
  import { Server } from "node:net";
  const servers = new Set();
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...given) { servers.add(this); return listen.apply(this, given); };
  const fail = () => { throw new Error("planted"); };
  const { writeHead } = ServerResponse.prototype;
  let failsAnswer = false;
  ServerResponse.prototype.writeHead = function (...given) {
    if (failsAnswer) setImmediate(fail);
    failsAnswer = false;
    return writeHead.apply(this, given);
  };
  const faults = {
    accepting: (server) => server.once("connection", fail),
    connection: (server) => server.once("connection", (socket) => socket.once("close", fail)),
    answer: () => { failsAnswer = true; },
    close: (server) => server.close(),
  };
  process.on("SIGUSR2", () => {
    const { port, kind } = JSON.parse(readFileSync(${JSON.stringify(faultFile)}, "utf8"));
    faults[kind]([...servers].find((server) => server.address()?.port === port));
    process.stdout.write("{}\\n");
  });
`;

let served: ServedProcess;
let urls: Readonly<Record<string, string>>;
beforeAll(async () => {
  const nodeOptions = [`--import=data:text/javascript,${encodeURIComponent(plant)}`];
  served = startServed(await buildProgram(), tempFolder(), [], nodeOptions);
  urls = await served.urls;
});
afterAll(async () => {
  expect(await served.stop()).toBe(0);
});

const portOf = (listener: string) => Number(new URL(urls[listener] ?? "").port);
const listeners = ["http", "dynamodb", "smtp", "mqtt"] as const;

async function plantFault(listener: string, kind: Fault["kind"]): Promise<void> {
  const fault: Fault = { port: portOf(listener), kind };
  writeFileSync(faultFile, JSON.stringify(fault));
  const planted = served.nextLine();
  served.signal("SIGUSR2");
  await planted;
}

/** Whether a listener accepts a connection. */
async function accepts(listener: string): Promise<boolean> {
  const socket = connect(portOf(listener), "127.0.0.1");
  const accepted = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return accepted;
}

async function failedParts(): Promise<readonly string[]> {
  const answer = await fetch(new URL("/readyz", urls["http"]));
  return ((await answer.json()) as { parts?: string[] }).parts ?? [];
}

test.each(listeners)("a closed %s listener listens again on its port", async (listener) => {
  await plantFault(listener, "close");
  await until(() => accepts(listener));
  for (const each of listeners) expect([each, await accepts(each)]).toEqual([each, true]);
  await until(async () => (await failedParts()).length === 0);
});

test.each([
  ...listeners.map((listener) => [listener, "accepting"] as const),
  ...listeners.map((listener) => [listener, "connection"] as const),
])("an uncaught error of the %s listener (%s) is reported as its own", async (listener, kind) => {
  await plantFault(listener, kind);
  await accepts(listener);
  await until(async () => (await failedParts()).includes(listener));
  for (const each of listeners) expect([each, await accepts(each)]).toEqual([each, true]);
});

test.each([
  ["mail", "/api/v3/mail/count"],
  ["mail", "/api/v1/messages"],
  ["journals", "/api/v3/journals"],
  ["shadows", "/api/v3/shadows"],
  ["shadows", "/things/lamp/shadow"],
  ["tables", "/api/v3/tables"],
  ["http", "/"],
])("an uncaught error of %s (%s) is reported as its own", async (part, path) => {
  await plantFault("http", "answer");
  await fetch(new URL(path, urls["http"]));
  await until(async () => (await failedParts()).includes(part));
  for (const each of listeners) expect([each, await accepts(each)]).toEqual([each, true]);
});
