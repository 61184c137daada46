/** `npm run dynamodb-local -- start|stop [--port 8000]`: runs Amazon's DynamoDB Local in the background, in memory. */
import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { answers, isPortFree, javaVersion, startDynamoDbLocal } from "./lib/dynamodb-local.mjs";
import { rootFolder } from "./lib/run-command.mjs";

const usage = "usage: npm run dynamodb-local -- start|stop [--port 8000]";
const folder = join(rootFolder, ".dynamodb-local");

try {
  const { verb, port } = readCommandLine();
  console.log(verb === "start" ? await start(port) : await stop(port));
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

function readCommandLine() {
  const { values, positionals } = parse();
  const [verb, ...rest] = positionals;
  const port = Number(values.port);
  if ((verb !== "start" && verb !== "stop") || rest.length > 0) throw new Error(usage);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`--port must be an integer from 1 to 65535; ${usage}`);
  return { verb, port };
}

function parse() {
  try {
    return parseArgs({ allowPositionals: true, options: { port: { type: "string", default: "8000" } } });
  } catch (error) {
    throw new Error(`${error.message.split(". ")[0]}; ${usage}`, { cause: error });
  }
}

async function start(port) {
  const endpoint = `http://127.0.0.1:${port}`;
  const pid = runningPid(port);
  if (pid !== undefined && (await answers(endpoint)))
    return `DynamoDB Local is already running: ${endpoint} (process ${pid})`;
  if (javaVersion() < 17)
    throw new Error("Java 17 or newer is missing: install it, e.g. apt-get install openjdk-17-jre-headless");
  if (!(await isPortFree(port)))
    throw new Error(`port ${port} is in use by another program: choose another one with --port`);
  const local = await startDynamoDbLocal({ port, detached: true });
  await mkdir(folder, { recursive: true });
  await writeFile(
    pidFile(port),
    `${JSON.stringify({ pid: local.pid, startTime: startTimeOf(local.pid) })}\n`,
  );
  local.leave();
  const suffix = port === 8000 ? "" : ` --port ${port}`;
  return `DynamoDB Local is running: ${endpoint} (process ${local.pid}); stop it with: npm run dynamodb-local -- stop${suffix}`;
}

async function stop(port) {
  const pid = runningPid(port);
  if (pid !== undefined) {
    process.kill(pid, "SIGTERM");
    for (let tries = 0; runningPid(port) !== undefined; tries += 1) {
      if (tries === 50) process.kill(pid, "SIGKILL");
      if (tries === 100) throw new Error(`process ${pid} does not exit`);
      await sleep(100);
    }
  }
  await rm(pidFile(port), { force: true });
  return pid === undefined ? "DynamoDB Local was not running" : `DynamoDB Local is stopped (process ${pid})`;
}

function pidFile(port) {
  return join(folder, `${port}.json`);
}

/** Returns the process that was started for this port, if it is still running. */
function runningPid(port) {
  try {
    const { pid, startTime } = JSON.parse(readFileSync(pidFile(port), "utf8"));
    process.kill(pid, 0);
    return startTimeOf(pid) === startTime ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the start time of a process where the system provides it; process ids are reused. */
function startTimeOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // proc(5): field 22, counted from the process's name, which may hold spaces and ends with the last parenthesis.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
