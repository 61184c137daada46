import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { sourceAliases } from "../../../../scripts/lib/source-aliases.mjs";

/** What a child is to do, and where. */
export interface ChildArguments {
  readonly role: "write" | "read" | "sequence";
  readonly endpoint: string;
  readonly table: string;
  readonly layout: string;
  readonly seed: string;
  /** Where a reader begins. */
  readonly from: string;
  readonly leaseMs: number;
}

/** What a writer prints once a write is acknowledged. */
export interface WrittenLine {
  readonly persistenceId: string;
  readonly names: readonly string[];
}

/** What a reader prints for each event. */
export interface ReadLine {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly slice: number;
  readonly offset: number;
  readonly late: boolean;
  readonly position: string;
  readonly name: string;
}

/** What a child prints if an error ends it. */
export interface EndedLine {
  readonly ended: string;
}

/** A child that is running. */
export interface FeedChild {
  /** Sends SIGKILL, and waits until everything that it printed has been passed on. */
  kill(): Promise<void>;
}

/** Starts a child. `onLine` gets each document that it prints, `onEnd` is called if it ends by itself. */
export function startFeedChild(
  script: string,
  args: ChildArguments,
  onLine: (line: unknown) => void,
  onEnd: () => void,
): FeedChild {
  let isKilled = false;
  const child = spawn(process.execPath, [script, JSON.stringify(args)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    // A kill may cut the last line.
    if (line.endsWith("}")) onLine(JSON.parse(line));
  });
  const ended = Promise.all([once(child, "close"), once(reader, "close")]);
  void ended.then(() => isKilled || onEnd());
  return {
    async kill() {
      isKilled = true;
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** Bundles a child into one script, which starts faster than many files. Returns its path. */
export async function bundleFeedChild(name = "feed-child"): Promise<string> {
  const outDir = `${root}node_modules/.cache/tablekeep/feed-${randomUUID()}`;
  await build({
    configFile: false,
    logLevel: "error",
    root,
    resolve: { alias: sourceAliases },
    ssr: { noExternal: [/^@tablekeep\//] },
    build: {
      ssr: fileURLToPath(new URL(`../children/${name}.ts`, import.meta.url)),
      outDir,
      emptyOutDir: false,
      target: "node20",
      rollupOptions: { output: { entryFileNames: `${name}.mjs` } },
    },
  });
  return `${outDir}/${name}.mjs`;
}
