import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "../lib/run-command.mjs";

/** One of our packages, as `npm pack` makes it. */
export interface PackedPackage {
  readonly name: string;
  /** The path of the tarball. */
  readonly tarball: string;
  /** Bytes of the tarball. */
  readonly size: number;
  /** Bytes of its files. */
  readonly unpackedSize: number;
  /** Their paths, from the root of the package. */
  readonly files: readonly string[];
  readonly manifest: Manifest;
}

/** What matters of a package.json. */
export interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** The folders of what is published. */
export const publishedFolders: readonly string[] = readdirSync(join(rootFolder, "packages"));

/** Packs every package into `folder`. What they hold must have been built. */
export async function packAll(folder: string): Promise<readonly PackedPackage[]> {
  mkdirSync(folder, { recursive: true });
  const which = publishedFolders.flatMap((each) => ["--workspace", `packages/${each}`]);
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...which];
  const said: unknown = JSON.parse(await run("npm", args, rootFolder));
  const all = Object.values(said as Record<string, NpmPackResult>);
  return all.map(({ name, filename, size, unpackedSize, files }) => ({
    name,
    tarball: join(folder, filename),
    size,
    unpackedSize,
    files: files.map(({ path }) => path),
    manifest: readManifest(join(rootFolder, "packages", name.replace("@tablekeep/", ""))),
  }));
}

/** A new project in `folder` that has all of `packages` installed from their tarballs, for this platform unless options of npm say another. */
export async function installAll(
  folder: string,
  packages: readonly PackedPackage[],
  options: readonly string[] = [],
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies }),
  );
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline"];
  await run("npm", ["install", ...quiet, ...options], folder);
}

/** Runs a command and returns its stdout; rejects with all of its output if it fails. */
export function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: ownEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (part) => {
      stdout += part;
    });
    child.stderr.setEncoding("utf8").on("data", (part) => {
      stderr += part;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code}\n${stdout}\n${stderr}`));
    });
  });
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

interface NpmPackResult {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Without the variables in which `npm test` describes this checkout: an npm in another folder would use them. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const told = /^(?:npm_(?:lifecycle|package|config_local_prefix)|NODE_OPTIONS$|VITEST|NODE_ENV$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !told.test(name)));
}
