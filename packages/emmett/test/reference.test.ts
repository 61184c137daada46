import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EmmettStoreError, emmettStoreErrorKinds } from "../src/index.ts";

const page = readFileSync(new URL("../../../docs/reference/errors.md", import.meta.url), "utf8");

test("docs/reference/errors.md lists every code with its kind, and no other", () => {
  const section = page.split(/^## /m).find((text) => text.startsWith("@tablekeep/emmett")) ?? "";
  const rows = [...section.matchAll(/^\| `(\w+)`\s*\| ([\w-]+)\s*\| \S/gm)];
  expect(Object.fromEntries(rows.map(([, code, kind]) => [code, kind]))).toEqual(emmettStoreErrorKinds);
});

test("an error is named after its class, and its name can be assigned", () => {
  const error = new EmmettStoreError("EMMETT_OPTION_INVALID", "no", { option: "a", reason: "b" });
  expect(String(error)).toBe("EmmettStoreError: no");
  error.name = "Renamed";
  expect(error.name).toBe("Renamed");
});
