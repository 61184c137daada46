/**
 * Starts the server for the later steps of a job, and returns when it is ready. It ends with the job, when the runner stops
 * all processes. Options are separated by spaces.
 */
import { spawn } from "node:child_process";
import { appendFileSync, closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const { RUNNER_TEMP = ".", GITHUB_OUTPUT, GITHUB_ENV, INPUT_VERSION, INPUT_OPTIONS = "" } = process.env;
const deadlineMs = 120_000;
const options = INPUT_OPTIONS.split(/\s+/).filter((option) => option !== "");
const log = join(RUNNER_TEMP, "tablekeep.log");
const errors = join(RUNNER_TEMP, "tablekeep.err");

const [stdout, stderr] = [openSync(log, "w"), openSync(errors, "w")];
const command = ["--yes", `tablekeep@${INPUT_VERSION}`, "serve", "--json", ...options];
const child = spawn("npx", command, { detached: true, stdio: ["ignore", stdout, stderr] });
closeSync(stdout);
closeSync(stderr);
let ended;
child.once("error", (error) => {
  ended = error.message;
});
child.once("exit", (code) => {
  ended = `it ended with ${code}`;
});

const started = await untilStarted();
for (const { name, url } of started.listeners) append(GITHUB_OUTPUT, `${name}-url=${url}`);
const dynamodb = started.listeners.find(({ name }) => name === "dynamodb");
if (dynamodb !== undefined) append(GITHUB_ENV, `AWS_ENDPOINT_URL_DYNAMODB=${dynamodb.url}`);
console.log(`Tablekeep ${started.version} is running: ${started.listeners.map(({ url }) => url).join(" ")}`);
child.unref();

/** The first line of its output says where it listens. */
async function untilStarted() {
  const end = performance.now() + deadlineMs;
  while (performance.now() < end) {
    const [line, rest] = readFileSync(log, "utf8").split("\n", 2);
    if (rest !== undefined) return JSON.parse(line);
    if (ended !== undefined) break;
    await sleep(50);
  }
  console.error(`${readFileSync(log, "utf8")}${readFileSync(errors, "utf8")}`);
  console.error(
    `::error::Tablekeep did not start: ${ended ?? `not ready within ${deadlineMs / 1000} seconds`}`,
  );
  process.exit(1);
}

function append(file, line) {
  if (file !== undefined) appendFileSync(file, `${line}\n`);
}
