/** Follows docs/tutorial.md literally, on free ports. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { readDocs } from "../read-docs.ts";
import { wordsOf } from "../shell-words.ts";
import { type Step, stepsOf } from "./tutorial-steps.ts";

const run = promisify(execFile);
// Inside the checkout, where the packages are found.
const cache = fileURLToPath(new URL("../../../../node_modules/.cache/", import.meta.url));
const steps = stepsOf(readDocs("docs/tutorial.md"));
const start = "npm ci && npm start";

let folder = "";
let program = "";
let server: { readonly endpoint: string; kill(): Promise<void> } | undefined;

beforeAll(async () => {
  program = await buildProgram();
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, "tutorial-"));
});
afterAll(async () => {
  await server?.kill();
  await rm(folder, { recursive: true, force: true });
});

async function startServer() {
  const ports = ["http", "dynamodb", "smtp", "mqtt"].flatMap((name) => [`--${name}-port`, "0"]);
  const child = spawn(process.execPath, [program, "serve", "--json", ...ports], { cwd: folder });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { listeners } = JSON.parse(line) as { listeners: { name: string; url: string }[] };
  const endpoint = listeners.find(({ name }) => name === "dynamodb")?.url.replace(/\/$/, "") ?? "";
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  };
  return { endpoint, kill };
}

async function runLine(line: string): Promise<string> {
  if (line === start) {
    server = await startServer();
    return "";
  }
  const [first = "", ...words] = wordsOf(line);
  const command = first === "npx" ? [program, ...words.slice(1)] : words;
  return (await run(process.execPath, command, { cwd: folder })).stdout;
}

/** Performs a step; returns the output since the last comparison. */
async function carryOut(step: Step, printed: string): Promise<string> {
  switch (step.kind) {
    case "file":
      await writeFile(
        join(folder, step.name),
        step.text.replaceAll("http://127.0.0.1:8000", server?.endpoint ?? ""),
      );
      return printed;
    case "commands": {
      // The last one of the page runs after the process was killed.
      if (step.lines.includes("npx tablekeep journal verify")) {
        await server?.kill();
        server = await startServer();
      }
      let said = printed;
      for (const line of step.lines) said += await runLine(line);
      return said;
    }
    case "output":
      for (const line of step.lines) expect(printed).toContain(line);
      return "";
  }
}

test("every step of the tutorial does what it says", async () => {
  expect(steps.map(({ kind }) => kind)).toContain("file");
  let printed = "";
  for (const step of steps) printed = await carryOut(step, printed);
  expect(printed).toBe("");
});
