import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type RunningDynamoDb, startDynamoDb } from "tablekeep";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { otherTimers, waitingCalls } from "./waiting-calls.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
/** Inside the package, where the program finds its own files. */
const folder = `${root}packages/tablekeep/dist/waits-${randomUUID()}`;
const script = `${folder}/child.mjs`;

let served: RunningDynamoDb;
beforeAll(async () => {
  served = await startDynamoDb({ port: 0 });
  await build({
    absWorkingDir: root,
    entryPoints: [fileURLToPath(new URL("child.ts", import.meta.url))],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [
      {
        name: "packages of others stay outside",
        setup: (bundler) =>
          bundler.onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
            kind === "entry-point" || path.startsWith("@tablekeep/") ? undefined : { path, external: true },
          ),
      },
    ],
  });
});
afterAll(async () => {
  await served.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function runAlone(name: string) {
  const child = spawn(process.execPath, [script, name], {
    env: { ...process.env, NODE_NO_WARNINGS: "1", WAITS_ENDPOINT: served.endpoint },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code, errors, out };
}

const lines = new Map<string, readonly string[]>();

/**
 * The source file of a line of the bundle, `file:line`: the bundler writes its name above the code of each. Source maps would take
 * every process longer to read than its call takes.
 */
function sourceOf(place: string): string | undefined {
  const [file = "", line] = place.split(":");
  const all = lines.get(file) ?? readFileSync(`${folder}/${file}`, "utf8").split("\n");
  lines.set(file, all);
  const above = all.slice(0, Number(line)).findLast((each) => each.startsWith("// packages/"));
  return above?.slice("// packages/".length);
}

describe.concurrent("a program that has nothing else to do lives until its call returns", () => {
  test.each(Object.entries(waitingCalls))("%s", async (name, { waitsIn, result }) => {
    const { code, errors, out } = await runAlone(name);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const output = JSON.parse(out) as { result: unknown; waitedIn: string[] };
    expect(output.result).toEqual(result);
    // The call really waited there: otherwise this proves nothing.
    expect(output.waitedIn.map(sourceOf)).toEqual(expect.arrayContaining([...waitsIn]));
  });
});

test("every file that sets a timer has a call in the table, or a reason", () => {
  const timers = readdirSync(`${root}packages`).flatMap((name) =>
    readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(path))
      .map((path) => `${name}/src/${path}`)
      .filter((path) => setsTimer(readFileSync(`${root}packages/${path}`, "utf8"))),
  );
  const known = new Set([
    ...Object.values(waitingCalls).flatMap(({ waitsIn }) => waitsIn),
    ...Object.keys(otherTimers),
  ]);
  expect(timers.filter((path) => !known.has(path))).toEqual([]);
  expect([...known].filter((path) => !timers.includes(path))).toEqual([]);
});

/** All timers are set by `Clock.after`, `sleep` and `withDeadline`: the check of ambient state allows no others. */
function setsTimer(source: string): boolean {
  const code = source.replace(/^\s*(\*|\/\/|\/\*).*$/gm, "");
  return /\bsleep\(|clock\.after\(|\bwithDeadline\(/i.test(code);
}
