import { defineConfig } from "vitest/config";
import { sourceAliases } from "./scripts/lib/source-aliases.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The endpoint of DynamoDB Local, or "" where there is no Java. */
    dynamoDbLocal: string;
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
  "packages/{journal,entity,mail,shadow}/**/*.local.test.ts",
  "examples/*/test/*.local.test.ts",
];
/** How long a hang may last: far longer than any test takes, even on a slow and busy machine. */
const patience = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 120_000 } },
};
const setupFiles = ["scripts/lib/vitest-property-seed.mjs"];
const shared = { resolve: { alias: sourceAliases } };

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
const onDynamoDbLocal = (name: string, include: string[]) => ({
  ...shared,
  test: {
    name,
    include,
    setupFiles,
    globalSetup: ["scripts/lib/vitest-dynamodb-local.mjs"],
    // Two port suites at once would need more of its threads than it has.
    fileParallelism: false,
    ...patience,
  },
});

export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: "unit",
          include: tests,
          exclude: [...accessLayer, ...stores],
          setupFiles,
          ...patience,
        },
      },
      onDynamoDbLocal("dynamodb-local", accessLayer),
      onDynamoDbLocal("stores-on-dynamodb-local", stores),
      {
        ...shared,
        test: {
          name: "engine-endpoint",
          include: [...accessLayer, ...stores],
          exclude: aboutDynamoDbLocal,
          setupFiles,
          globalSetup: ["scripts/lib/vitest-engine-endpoint.mjs"],
          ...patience,
        },
      },
    ],
  },
});
