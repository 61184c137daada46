import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** The program as `npm start` runs it. */
const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** Builds the example like `npm start`, and returns the path of the program. */
export async function buildCart(): Promise<string> {
  const tsc = spawn(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "examples/cart"], {
    cwd: root,
  });
  const [said, [code]] = await Promise.all([text(tsc.stdout), once(tsc, "exit")]);
  if (code !== 0) throw new Error(`the example does not build:\n${said}`);
  return main;
}

/** A running shop. */
export interface CartProcess {
  /** Its address; undefined if it ended before it listened. */
  readonly url: Promise<string | undefined>;
  /** Sends SIGKILL, and waits for the exit. */
  kill(): Promise<void>;
  /** Stops it, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts the shop, on a free port. */
export function startCart(program: string, args: readonly string[], env: NodeJS.ProcessEnv): CartProcess {
  const child: ChildProcess = spawn(process.execPath, [program, "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const ended = once(child, "exit") as Promise<[number | null]>;
  const line = new Promise<string | undefined>((resolve) => {
    child.stdout?.once("data", (said) => resolve(/http:\/\/[\d.:]+/.exec(String(said))?.[0]));
    child.once("exit", () => resolve(undefined));
  });
  return {
    url: line,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      return (await ended)[0];
    },
  };
}
