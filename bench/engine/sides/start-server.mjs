import { fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { answers, freePort, startDynamoDbLocal } from "../../../scripts/lib/dynamodb-local.mjs";

/** Starts a server program, by default of this benchmark; resolves when it answers. `startMs` is the time from start to then. */
export async function startProgram(program, args = [], folder = new URL("../server/", import.meta.url)) {
  const startedAt = performance.now();
  const child = fork(new URL(program, folder), args, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [port] = await once(child, "message");
  return {
    endpoint: `http://127.0.0.1:${port}`,
    pid: child.pid,
    startMs: performance.now() - startedAt,
    stop: () => child.kill("SIGKILL"),
  };
}

export async function startLocal(path) {
  const startedAt = performance.now();
  const local = await startDynamoDbLocal(path === undefined ? {} : { path });
  return { ...local, startMs: performance.now() - startedAt };
}

/** dynoxide, the native rival, if it is installed (`cargo install dynoxide-rs`). */
export async function startDynoxide(path) {
  if (spawnSync("dynoxide", ["--version"]).error) return undefined;
  const port = await freePort();
  const args = ["--port", String(port), ...(path === undefined ? [] : ["--db-path", path])];
  const startedAt = performance.now();
  const child = spawn("dynoxide", args, { stdio: "ignore" });
  const endpoint = `http://127.0.0.1:${port}`;
  while (!(await answers(endpoint))) await sleep(20);
  return {
    endpoint,
    pid: child.pid,
    startMs: performance.now() - startedAt,
    stop: () => child.kill("SIGKILL"),
  };
}
