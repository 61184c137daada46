/** `npm run bench`: lists the benchmarks. `npm run bench -- NAME [arguments]`: runs all of `bench/NAME`, one after the other. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { build } from "vite";
import { rootFolder, runCommand } from "./lib/run-command.mjs";

const folder = join(rootFolder, "bench");
const [name, ...args] = process.argv.slice(2);

try {
  if (name === undefined) list();
  else await runAll();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

function list() {
  console.log("npm run bench -- NAME");
  for (const bench of benches()) console.log(`  ${bench.padEnd(12)} ${programsOf(bench).join(", ")}`);
}

async function runAll() {
  if (!benches().includes(name))
    throw new Error(`unknown benchmark ${name}; expected one of: ${benches().join(", ") || "none"}`);
  // Benchmarks measure the built packages, as published.
  const built = await runCommand(process.execPath, [join("scripts", "build.mjs")]);
  if (built.code !== 0) throw new Error(`the build failed:\n${built.output}`);
  const failed = [];
  for (const file of programsOf(name)) {
    const program = file.endsWith(".ts") ? await compiled(file) : join(folder, name, file);
    const { status } = spawnSync(process.execPath, [program, ...args], { stdio: "inherit" });
    if (status !== 0) failed.push(`bench/${name}/${file} ended with code ${status}`);
  }
  // A missed target must not hide the figures of the programs after it.
  if (failed.length > 0) throw new Error(failed.join("; "));
}

/** The folders of `bench` that hold something to run; `lib` holds what they share. */
function benches() {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries
    .map((entry) => entry.name)
    .filter((bench) => bench !== "lib" && programsOf(bench).length > 0);
}

/** What is run: the files at the top of the benchmark's folder. Parts of it live in folders below. */
function programsOf(bench) {
  return readdirSync(join(folder, bench))
    .filter((file) => /\.(mjs|ts)$/.test(file) && !file.endsWith(".test.ts"))
    .toSorted();
}

/** Node 20 does not run TypeScript. The output lies under `node_modules`, so that it finds the packages. */
async function compiled(file) {
  const outDir = join(rootFolder, "node_modules", ".bench", name);
  const output = `${parse(file).name}.mjs`;
  await build({
    configFile: false,
    root: rootFolder,
    logLevel: "error",
    ssr: { external: true },
    build: {
      ssr: join(folder, name, file),
      outDir,
      target: "node20",
      minify: false,
      rollupOptions: { output: { entryFileNames: output } },
    },
  });
  return join(outDir, output);
}
