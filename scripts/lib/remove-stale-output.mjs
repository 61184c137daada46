/** Removes compiled files whose source has moved or is gone: the compiler leaves them, and `npm pack` would publish them. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "./run-command.mjs";

/** Folders that other steps of the build write, and tests. */
const notCompiled = /^(?:program|console|docs|thread|waits-[^/]+)(?:\/|$)/;

export function removeStaleOutput() {
  for (const name of readdirSync(join(rootFolder, "packages"))) {
    const folder = join(rootFolder, "packages", name);
    const dist = join(folder, "dist");
    if (!existsSync(dist)) continue;
    for (const file of readdirSync(dist, { recursive: true })) {
      const [, source] = /^(.+?)(?:\.d\.ts|\.js)$/.exec(file) ?? [];
      if (source === undefined || notCompiled.test(file)) continue;
      if (!existsSync(join(folder, "src", `${source}.ts`))) rmSync(join(dist, file));
    }
  }
}
