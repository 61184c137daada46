import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readManifest } from "./pack-and-install.ts";

/** A package in a `node_modules` folder. */
interface InstalledPackage {
  readonly name: string;
  readonly folder: string;
}

/** The package and all that it needs, as Node finds them from it. Optional ones count where they are installed. */
export function neededPackages(project: string, name: string): readonly InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  const visit = (wanted: string, from: string) => {
    const folder = resolvePackage(wanted, from, project);
    if (folder === undefined || found.has(folder)) return;
    found.set(folder, { name: wanted, folder });
    const { dependencies, optionalDependencies } = readManifest(folder);
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) visit(each, folder);
  };
  visit(name, project);
  return [...found.values()];
}

/** The files of a package, without those of packages inside it. */
export function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return entry.name === "node_modules" ? [] : filesOf(path);
  });
}

/** Bytes of its files. */
export function sizeOf(folder: string): number {
  return filesOf(folder).reduce((sum, path) => sum + statSync(path).size, 0);
}

function resolvePackage(name: string, from: string, project: string): string | undefined {
  for (let at = from; at.startsWith(project); at = join(at, "..")) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return undefined;
}
