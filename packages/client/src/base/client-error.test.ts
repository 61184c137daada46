import { expect, test } from "vitest";
import { packageMissing } from "./client-error.ts";

test("an installed package is loaded", async () => {
  const loaded = await import("undici").catch(packageMissing("undici"));
  expect(loaded.Pool).toBeTypeOf("function");
});

test("one that is not installed is named with the command that installs it", async () => {
  const name = "@tablekeep/not-a-package";
  await expect(import(/* @vite-ignore */ name).catch(packageMissing(name))).rejects.toMatchObject({
    code: "CLIENT_PACKAGE_MISSING",
    details: { package: name },
  });
});

test("a package that is installed and breaks keeps its own error", async () => {
  const broken = Promise.reject(new RangeError("inside"));
  await expect(broken.catch(packageMissing("x"))).rejects.toThrow(RangeError);
});
