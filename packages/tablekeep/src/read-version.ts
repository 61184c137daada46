import { readFileSync } from "node:fs";
import { packageFolder } from "./server/package-folder.ts";

/** The version of this package, as its package.json says. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", packageFolder), "utf8"));
  const version = (manifest as { version?: unknown }).version;
  return typeof version === "string" ? version : "unknown";
}
