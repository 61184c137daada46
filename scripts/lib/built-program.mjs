import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rootFolder } from "./run-command.mjs";

/** Returns the parser of the built program, with all its commands. */
export async function builtProgram() {
  const file = join(rootFolder, "packages", "tablekeep", "dist", "cli", "build-program.js");
  const { buildProgram } = await import(pathToFileURL(file).href);
  const nowhere = { write() {} };
  const signal = new AbortController().signal;
  return buildProgram({ stdout: nowhere, stderr: nowhere, env: {}, signal });
}
