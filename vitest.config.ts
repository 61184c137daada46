import { defineConfig } from "vitest/config";

declare module "vitest" {
  interface ProvidedContext {
    /** The endpoint of DynamoDB Local, or "" where there is no Java. */
    dynamoDbLocal: string;
  }
}

const tests = ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "scripts/**/*.test.ts"];
const onDynamoDbLocal = ["packages/**/*.local.test.ts"];
const shared = {
  // Packages import each other's source: nothing has to be built before a test runs.
  resolve: { conditions: ["@tablekeep/source", "node", "development|production"] },
  ssr: { resolve: { conditions: ["@tablekeep/source", "node", "development|production"] } },
};

export default defineConfig({
  test: {
    projects: [
      { ...shared, test: { name: "unit", include: tests, exclude: onDynamoDbLocal, testTimeout: 20_000 } },
      {
        ...shared,
        test: {
          name: "dynamodb-local",
          include: onDynamoDbLocal,
          globalSetup: ["scripts/lib/vitest-dynamodb-local.mjs"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
