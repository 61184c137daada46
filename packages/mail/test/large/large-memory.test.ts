import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { largeMessages } from "./large-messages.ts";

const run = promisify(execFile);
/** Inside the package, where modules of others are found. */
const built = fileURLToPath(new URL(`../../dist/large-${randomUUID()}`, import.meta.url));
const data = mkdtempSync(`${tmpdir()}/tablekeep-large-`);

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL("memory-child.ts", import.meta.url))],
    outdir: built,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["@tablekeep/source"],
    external: ["lmdb", "postal-mime"],
  });
});
afterAll(() => {
  for (const folder of [built, data]) rmSync(folder, { recursive: true, force: true });
});

test.each(Object.keys(largeMessages))(
  "a message of 48 MB, %s, is stored, read, searched and shown with a heap of 224 MB",
  async (name) => {
    const folder = `${data}/${randomUUID()}`;
    const { stdout } = await run(process.execPath, [
      "--max-old-space-size=224",
      `${built}/memory-child.mjs`,
      folder,
      name,
    ]);
    const seen = JSON.parse(stdout) as { found: number; size: number; characters: number };
    expect(seen.found).toBe(1);
    expect(seen.characters).toBeGreaterThan(seen.size);
  },
);
