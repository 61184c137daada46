import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Updates the built files of the program; returns the path of the file that `node` runs. `npm test` has built them already, and says
 * so.
 */
export async function buildProgram(): Promise<string> {
  const program = fileURLToPath(new URL("../bin/tablekeep.js", import.meta.url));
  if (process.env["PACKAGES_ARE_BUILT"] === "1") return program;
  const args = ["scripts/build.mjs", "packages/tablekeep/tsconfig.build.json"];
  const build = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const [output, [code]] = await Promise.all([text(build.stdout), once(build, "exit")]);
  if (code !== 0) throw new Error(`the program does not build:\n${output}`);
  return program;
}
