import { readFileSync } from "node:fs";

/** The version of this package, as its package.json says. */
export function readVersion(): string {
  // One folder up from here is the package's root, in `src` as in `dist`.
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const version = (manifest as { version?: unknown }).version;
  return typeof version === "string" ? version : "unknown";
}
