#!/usr/bin/env node
// This file is committed, not built, because npm links a bin only if it is there when it installs.
import { existsSync, readdirSync, statSync } from "node:fs";
import module from "node:module";

// On Node 22.8 and newer, this saves a third of the CPU time of a start. It does nothing if it cannot write to its folder.
module.enableCompileCache?.();

const bundled = new URL("../dist/program/main.js", import.meta.url);
const compiled = new URL("../dist/cli/main.js", import.meta.url);
const main = existsSync(bundled) && !isOutdated() ? bundled : compiled;
if (existsSync(main)) {
  const { runProcess } = await import(main.href);
  await runProcess(process);
} else {
  console.error("error: tablekeep is not built yet: run `npm ci` or `npm run build` in its checkout first");
  process.exitCode = 70;
}

/** Whether the packages were compiled again after they were bundled, which only happens in a checkout. */
function isOutdated() {
  if (!existsSync(new URL("../tsconfig.build.json", import.meta.url))) return false;
  const bundledAt = statSync(bundled).mtimeMs;
  const packages = new URL("../../", import.meta.url);
  return readdirSync(packages).some((name) => {
    const record = statSync(new URL(`${name}/dist/.tsbuildinfo`, packages), { throwIfNoEntry: false });
    return record !== undefined && record.mtimeMs > bundledAt;
  });
}
