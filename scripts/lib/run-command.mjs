import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Runs a command in the root of the checkout and collects its output.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env] variables beside those of this process
 * @returns {Promise<{ code: number, output: string }>} `code` is 1 if it could not be started or was killed
 */
export function runCommand(command, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: rootFolder,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part) => {
        output += part;
      });
    }
    child.once("error", (error) => resolve({ code: 1, output: `${command}: ${error.message}` }));
    child.once("close", (code) => resolve({ code: code ?? 1, output: output.trim() }));
  });
}

/** The root of the checkout. */
export const rootFolder = fileURLToPath(new URL("../..", import.meta.url));
