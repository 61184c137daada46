#!/usr/bin/env node
// This file is committed, not built, because npm links a bin only if it is there when it installs.
import { existsSync } from "node:fs";

const main = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(main)) {
  const { runProcess } = await import(main.href);
  await runProcess(process);
} else {
  console.error("error: tablekeep is not built yet: run `npm ci` or `npm run build` in its checkout first");
  process.exitCode = 70;
}
