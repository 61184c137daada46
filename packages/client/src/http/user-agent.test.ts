import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { version } from "./http-port-options.ts";

test("the user agent names the version of this package", () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(version).toBe((JSON.parse(manifest) as { version: string }).version);
});
