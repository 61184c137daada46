import { expect, test } from "vitest";
import { completedLock, lockProblems, missingPlatforms } from "./complete-lock.mjs";

const lock = {
  lockfileVersion: 3,
  packages: {
    "": {},
    "node_modules/tool": {
      version: "1.2.3",
      dev: true,
      optionalDependencies: {
        "@tool/linux-x64-musl": "1.2.3",
        "@tool/cli-win32-arm64": "1.2.3",
        "@tool/here": "1",
      },
    },
    "node_modules/@tool/here": { version: "1.0.0" },
    "node_modules/a/node_modules/b": { version: "2.0.0", optionalDependencies: { "b-darwin-x64": "2.0.0" } },
    "node_modules/a/node_modules/b-darwin-x64": { version: "2.0.0" },
  },
};

test("what is wanted and not there is added with version and platform", () => {
  expect(missingPlatforms(lock)).toEqual({
    "node_modules/@tool/linux-x64-musl": {
      version: "1.2.3",
      cpu: ["x64"],
      dev: true,
      libc: ["musl"],
      optional: true,
      os: ["linux"],
    },
    "node_modules/@tool/cli-win32-arm64": {
      version: "1.2.3",
      cpu: ["arm64"],
      dev: true,
      optional: true,
      os: ["win32"],
    },
  });
});

test("a completed lock file lacks nothing and keeps what it had", () => {
  const completed = completedLock(lock);
  expect(missingPlatforms(completed)).toEqual({});
  expect(completed).toMatchObject(lock);
});

test("does not guess the platform of a package", () => {
  const odd = { packages: { "node_modules/x": { optionalDependencies: { "x-native": "1.0.0" } } } };
  expect(() => missingPlatforms(odd)).toThrow("x-native@1.0.0");
});

test("the check names what is missing, and hosts", () => {
  const source = JSON.stringify({ ...lock, host: "", packages: { ...lock.packages } });
  expect(lockProblems([{ path: "package-lock.json", source }])).toHaveLength(2);
  const withHost = '{ "packages": { "node_modules/x": { "resolved": "https://example.test/x.tgz" } } }';
  expect(lockProblems([{ path: "package-lock.json", source: withHost }])).toEqual([
    expect.stringContaining("example.test"),
  ]);
  expect(lockProblems([])).toHaveLength(1);
});
