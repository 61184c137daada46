import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { importConstants } from "./scripts/lib/import-constants.mjs";
import { LongFilesFirst } from "./scripts/lib/long-files-first.mjs";
import { sourceAliases } from "./scripts/lib/source-aliases.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The endpoint of DynamoDB Local, or "" where there is no Java. */
    dynamoDbLocal: string;
    /** Whether the embedded engine stands at that endpoint instead. */
    isEngine: boolean;
  }
}

const tests = [
  "packages/*/src/**/*.test.ts",
  "packages/*/test/**/*.test.ts",
  "examples/*/test/**/*.test.ts",
  "scripts/**/*.test.ts",
];
const accessLayer = ["packages/{core,client,engine,testkit,port-suite,tablekeep}/**/*.local.test.ts"];
const stores = [
  "packages/{journal,entity,feed,emmett,castore,mail,shadow}/**/*.local.test.ts",
  "examples/*/test/*.local.test.ts",
];
/** Long tests that start programs, and measure nothing in their own process. They share processes with each other. */
const programs = [
  "examples/{bank,cart}/test/kill.test.ts",
  "packages/engine/test/kill.test.ts",
  "packages/tablekeep/test/**/{bin,kill,real-senders,runners,start-up,tutorial}.test.ts",
  "packages/tablekeep/test/{real-clients,shadow/real-clients}.test.ts",
  "packages/tablekeep/src/cli/completion/*.test.ts",
  "packages/tablekeep/test/{cli-reference,docs-commands,docs-requests,verbs-while-served}.test.ts",
];
/**
 * Tests that get their own process: they measure it, or start browsers. All others share the processes of the workers, so that what they
 * import is loaded once.
 */
const alone = [
  "examples/bank/test/page.test.ts",
  "examples/*/test/{playwright,thermostat}.test.ts",
  "packages/engine/test/{compact,concurrent-writers,folder-owner,full-disk,power-cut}.test.ts",
  "packages/engine/src/storage/folder-storage.test.ts",
  "packages/engine/src/storage/logged-writes.test.ts",
  "packages/engine/src/storage/mapped-memory.test.ts",
  "packages/engine/src/values/item-json.test.ts",
  "packages/client/src/http/http-limits.test.ts",
  "packages/entity/test/memory.test.ts",
  "packages/journal/src/snapshots/chunks.test.ts",
  "packages/journal/src/tools/copy/migrate-journal.test.ts",
  "packages/mail/test/large/*.test.ts",
  "packages/tablekeep/test/**/{memory,slow-disk,waits}.test.ts",
  "packages/tablekeep/test/mcp/**/real-clients.test.ts",
  "packages/tablekeep/src/cli/frame/text-output.test.ts",
];
/** Long tests that mostly wait for a server in another process. `npm test` runs them beside the others, one at a time. */
const served = ["packages/tablekeep/test/security/client-isolation.test.ts"];
/** Tests of what users get: the packed packages, the templates, and the code blocks of the docs. */
const published = ["scripts/packages/*.test.ts"];
/** The packed packages on another kind of processor, for which QEMU is needed; not part of `npm test`. */
const emulated = ["scripts/packages/emulated/*.test.ts"];
/** Tests of the console. They share one browser, which is why they share a process. */
const inBrowser = ["packages/tablekeep/test/browser/*.test.ts"];
/** How long a hang may last: far longer than any test takes, even on a slow and busy machine. */
const patience = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
};
/** A folder for compiled modules, which `npm test` makes and removes. */
const moduleCache = process.env["TEST_MODULE_CACHE"];
/** Most objects of a test live shortly: with more space for new ones, fewer of them are copied by garbage collection. */
const execArgv = ["--max-semi-space-size=64"];
const setupFiles = ["scripts/lib/vitest-property-seed.mjs"];
const shared = { plugins: [importConstants()], resolve: { alias: sourceAliases } };

/** Tests about DynamoDB Local itself: comparisons with it, and the port suite with its known gaps. */
const aboutDynamoDbLocal = [
  "packages/engine/test/**/*.local.test.ts",
  "packages/port-suite/test/**/*.local.test.ts",
  "packages/client/src/http/http-port.local.test.ts",
  "packages/client/src/sdk/sdk-{port,client}.local.test.ts",
];

/**
 * One DynamoDB Local per project. Stores have a separate one: each table with TTL permanently occupies one of its few
 * threads, and after seven of them no new index ever becomes active.
 */
const onDynamoDbLocal = (name: string, include: string[], groupOrder: number) => ({
  ...shared,
  test: {
    name,
    include,
    setupFiles,
    globalSetup: ["scripts/lib/vitest-dynamodb-local.mjs"],
    // Two port suites at once would need more of its threads than it has.
    fileParallelism: false,
    isolate: false,
    execArgv,
    sequence: { groupOrder },
    ...patience,
  },
});

export default defineConfig({
  test: {
    // vitest leaves one of two cores to itself, but it has little to do. A third worker on two cores makes a run slower.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongFilesFirst },
    // `npm test` runs vitest twice, with several projects each: what one of them has compiled, the others read.
    ...(moduleCache !== undefined && {
      experimental: { fsModuleCache: true, fsModuleCachePath: moduleCache },
    }),
    projects: [
      {
        ...shared,
        test: {
          name: "unit",
          include: tests,
          exclude: [
            ...accessLayer,
            ...stores,
            ...programs,
            ...alone,
            ...served,
            ...published,
            ...emulated,
            ...inBrowser,
          ],
          setupFiles,
          isolate: false,
          execArgv,
          ...patience,
        },
      },
      {
        ...shared,
        test: { name: "unit-alone", include: alone, setupFiles, ...patience },
      },
      {
        ...shared,
        test: { name: "unit-programs", include: programs, setupFiles, isolate: false, execArgv, ...patience },
      },
      {
        ...shared,
        test: { name: "unit-served", include: served, setupFiles, isolate: false, execArgv, ...patience },
      },
      {
        ...shared,
        test: { name: "packages", include: published, setupFiles, ...patience },
      },
      {
        ...shared,
        test: { name: "emulated", include: emulated, setupFiles, ...patience },
      },
      {
        ...shared,
        test: { name: "browser", include: inBrowser, setupFiles, isolate: false, execArgv, ...patience },
      },
      onDynamoDbLocal("dynamodb-local", accessLayer, 1),
      onDynamoDbLocal("stores-on-dynamodb-local", stores, 2),
      {
        ...shared,
        test: {
          name: "engine-endpoint",
          include: [...accessLayer, ...stores],
          exclude: aboutDynamoDbLocal,
          setupFiles,
          globalSetup: ["scripts/lib/vitest-engine-endpoint.mjs"],
          isolate: false,
          execArgv,
          ...patience,
        },
      },
    ],
  },
});
