import { readFileSync } from "node:fs";

/**
 * The root of this package, which holds its package.json and the built console. This is the only file that depends on its location:
 * two folders down in `src`, in `dist` and in the bundled program (`dist/program`).
 */
export const packageFolder: URL = new URL("../../", import.meta.url);

/** The version of this package, from its package.json. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", packageFolder), "utf8"));
  const version = (manifest as { version?: unknown }).version;
  return typeof version === "string" ? version : "unknown";
}
