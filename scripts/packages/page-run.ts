import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDynamoDb } from "tablekeep";
import { rootFolder } from "../lib/run-command.mjs";

/** Runs the blocks of one page as a reader does: in one folder, in order, each in its own process. */
export interface PageRun extends AsyncDisposable {
  readonly folder: string;
  /** A DynamoDB in memory. It stands for the one on AWS, and for one on port 8000. */
  readonly endpoint: string;
  /** Variables that every process of this page gets. */
  readonly env: NodeJS.ProcessEnv;
  /** Saves a file in the folder, with the ports of this run. */
  save(path: string, text: string): void;
  /** Runs a command to its end. Returns its stdout; rejects if it fails. */
  run(command: string, args: readonly string[]): Promise<string>;
  /** Starts a command that runs until Ctrl+C, in place of the one before, and waits until its stdout matches. */
  serve(command: string, args: readonly string[], ready: RegExp): Promise<void>;
  /** Runs a command until its stdout matches, then sends Ctrl+C. Runs the command with `repeated` again and again until then. */
  runUntil(
    command: string,
    args: readonly string[],
    enough: RegExp,
    repeated?: readonly string[],
  ): Promise<void>;
  /** Replaces the ports and addresses that pages print by those of this run. */
  here(text: string): string;
}

/** The ports that pages print, and the listener that has each. */
const printedPorts = { http: "8025", dynamodb: "8000", smtp: "1025", mqtt: "1883" };

/** The commands take free ports by variables; the table of `here` does the same for what pages spell out. */
const freePorts = Object.fromEntries(
  ["HTTP", "DYNAMODB", "SMTP", "MQTT"].map((name) => [`TABLEKEEP_${name}_PORT`, "0"]),
);

/** Lets servers that a page starts listen on free ports of the loopback address. */
function onFreePorts(text: string): string {
  return (
    text
      .replaceAll("--host 0.0.0.0", "--host 127.0.0.1")
      .replaceAll("--port 8001", "--port 0")
      .replaceAll("127.0.0.1:2525", "127.0.0.1:0")
      // Where the options are on separate lines, they name no ports.
      .replaceAll("await startServer({\n", "await startServer({\n  httpPort: 0,\n  smtpPort: 0,\n")
  );
}

/**
 * Does what npx does with a package that is installed, without the second that npm takes to start. Returns a folder with it
 * for the PATH.
 */
function makeQuickNpx(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const installed = join(rootFolder, "node_modules", ".bin");
  writeFileSync(join(bin, "npx"), `#!/bin/sh\nname=$1\nshift\nexec "${installed}/$name" "$@"\n`, {
    mode: 0o755,
  });
  return bin;
}

export async function openPageRun(options: { readonly npx: "quick" | "real" }): Promise<PageRun> {
  // Inside node_modules, so that Node and npx find packages as they do in the checkout, and git ignores it.
  const cache = join(rootFolder, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "page-blocks-"));
  const dynamodb = await startDynamoDb({ port: 0 });
  const ports = new Map([["dynamodb", new URL(dynamodb.endpoint).port]]);
  const env: NodeJS.ProcessEnv = {
    ...inherited(),
    ...freePorts,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
    AWS_ACCESS_KEY_ID: "any",
    AWS_SECRET_ACCESS_KEY: "any",
    NO_COLOR: "1",
    ...(options.npx === "quick" && { PATH: `${makeQuickNpx(folder)}:${process.env["PATH"]}` }),
  };
  const started: Running[] = [];
  let server: Running | undefined;

  const start = (command: string, args: readonly string[]) => {
    const running = new Running(command, args, folder, env);
    started.push(running);
    return running;
  };
  const stop = async () => {
    await server?.interrupt();
    server = undefined;
  };
  const here = (text: string) => {
    return Object.entries(printedPorts).reduce((out, [name, printed]) => {
      const port = ports.get(name);
      if (port === undefined) return out;
      return out
        .replaceAll(`127.0.0.1:${printed}`, `127.0.0.1:${port}`)
        .replaceAll(`port: ${printed}`, `port: ${port}`);
    }, onFreePorts(text));
  };
  return {
    folder,
    endpoint: dynamodb.endpoint,
    env,
    here,
    save: (path, text) => writeFileSync(join(folder, path), here(text)),
    run: (command, args) => start(command, args).ended(),
    async serve(command, args, ready) {
      await stop();
      server = start(command, args);
      const said = await server.said(ready);
      for (const [, name = "", port = ""] of said.matchAll(/^ *(\w+) +\w+:\/\/127\.0\.0\.1:(\d+)/gm))
        ports.set(name, port);
    },
    async runUntil(command, args, enough, repeated) {
      const running = start(command, args);
      const said = running.said(enough);
      if (repeated !== undefined) await repeatUntil(said, () => start(command, repeated).ended());
      await said;
      await running.interrupt();
    },
    async [Symbol.asyncDispose]() {
      try {
        await stop();
      } finally {
        for (const each of started) each.signal("SIGKILL"); // those of tests that failed
        await dynamodb.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Calls `work` again and again, until a promise is settled. */
async function repeatUntil(done: Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  const settled = done.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await work();
    await Promise.race([settled, sleep(200)]);
  }
}

const commandLimitMs = 240_000;

/** One process and what it has written so far. It leads a process group, so that a signal reaches what npx starts. */
class Running {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #closed: Promise<number | NodeJS.Signals | null>;
  #stdout = "";
  #stderr = "";
  #onOutput = () => {};

  constructor(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.#name = [command, ...args].join(" ");
    this.#child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    this.#child.stdout?.setEncoding("utf8").on("data", (part) => {
      this.#stdout += part;
      this.#onOutput();
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (part) => {
      this.#stderr += part;
    });
    this.#closed = new Promise((resolve, reject) => {
      this.#child.once("error", reject).once("close", (code, signal) => resolve(code ?? signal));
    });
  }

  async ended(): Promise<string> {
    return this.#endedWith(0);
  }

  async #endedWith(...expected: readonly unknown[]): Promise<string> {
    const code = await this.#withinLimit(this.#closed);
    if (!expected.includes(code))
      throw new Error(`${this.#name} ended with ${code}\n${this.#stdout}\n${this.#stderr}`);
    return this.#stdout;
  }

  async said(ready: RegExp): Promise<string> {
    const matched = new Promise<void>((resolve) => {
      this.#onOutput = () => {
        if (ready.test(this.#stdout)) resolve();
      };
      this.#onOutput();
    });
    await this.#withinLimit(Promise.race([matched, this.ended()]));
    if (!ready.test(this.#stdout)) throw new Error(`${this.#name} ended and wrote\n${this.#stdout}`);
    return this.#stdout;
  }

  /** Rejects with the name of the command, before the test's own time limit ends without one. */
  async #withinLimit<Value>(value: Promise<Value>): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`${this.#name} is still running\n${this.#stdout}\n${this.#stderr}`));
      }, commandLimitMs);
    });
    try {
      return await Promise.race([value, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends Ctrl+C to the group, and waits until the last process of it has closed its output. */
  async interrupt(): Promise<string> {
    this.signal("SIGINT");
    return this.#endedWith(0, "SIGINT");
  }

  /** Sends a signal to the group, unless the process has exited. */
  signal(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
  }
}

/** The variables of this process, without those of npm and vitest and without settings of the programs under test. */
function inherited(): NodeJS.ProcessEnv {
  const left =
    /^(?:npm_(?:lifecycle|package|config_local_prefix)|NODE_OPTIONS$|VITEST|NODE_ENV$|FORCE_COLOR$|AWS_|TABLEKEEP_|MH_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !left.test(name)));
}
