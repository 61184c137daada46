import { expect, test } from "vitest";
import { forbiddenImports, importsOf } from "./package-boundaries.mjs";

const check = (path: string, specifier: string) =>
  forbiddenImports([{ path, source: `import { x } from "${specifier}";` }]);

test.each([
  ["packages/core/src/a.ts", "node:fs"],
  ["packages/core/src/a.ts", "undici"],
  ["packages/core/src/a.ts", "@tablekeep/client"],
  ["packages/client/src/a.ts", "@tablekeep/engine"],
  ["packages/client/src/http/a.ts", "@aws-sdk/client-dynamodb"],
  ["packages/client/src/http/a.ts", "@smithy/types"],
  ["packages/engine/src/a.ts", "@tablekeep/client"],
  ["packages/engine/src/a.ts", "node:http"],
  ["packages/engine/src/a.ts", "node:dns/promises"],
  ["packages/engine/src/a.ts", "some-store"],
  ["packages/engine/src/storage/a.ts", "@aws-sdk/client-dynamodb"],
  ["packages/journal/src/a.ts", "@tablekeep/shadow"],
  ["packages/journal/src/a.ts", "@tablekeep/testkit"],
  ["packages/journal/src/testing/a.ts", "@tablekeep/engine"],
  ["packages/journal/src/a.test.ts", "@tablekeep/mail"],
  ["packages/entity/src/a.ts", "@tablekeep/engine"],
  ["packages/testkit/src/a.ts", "@tablekeep/client"],
  ["packages/tablekeep/src/server/a.ts", "../cli/main.ts"],
  ["packages/tablekeep/src/a.ts", "../../core/src/error.ts"],
  ["packages/tablekeep/src/a.ts", "../test/run-main.ts"],
  ["packages/tablekeep/src/a.ts", "../../../scripts/lib/dynamodb-local.mjs"],
  ["packages/tablekeep/src/a.ts", "@tablekeep/core/src/error.ts"],
  ["packages/mail/src/a.ts", "@tablekeep/journal/testing"],
  ["packages/tablekeep/console/a.ts", "../src/index.ts"],
  ["packages/tablekeep/console/a.ts", "@tablekeep/core"],
  ["packages/tablekeep/console/a.ts", "some-framework"],
  ["packages/tablekeep/src/a.ts", "../console/app.tsx"],
  ["packages/attic/src/a.ts", "node:fs"],
])("%s may not import %s", (path, specifier) => {
  expect(check(path, specifier)).toEqual([expect.stringContaining(path)]);
});

test.each([
  ["packages/core/src/a.ts", "./b.ts"],
  ["packages/core/src/a.test-d.ts", "@aws-sdk/client-dynamodb"],
  ["packages/client/src/sdk/a.ts", "@aws-sdk/client-dynamodb"],
  ["packages/client/src/credentials/a.ts", "@aws-sdk/credential-providers"],
  ["packages/client/src/http/a.ts", "undici"],
  ["packages/client/src/a.test.ts", "@tablekeep/engine"],
  ["packages/engine/src/storage/a.ts", "some-store"],
  ["packages/engine/src/a.ts", "node:fs"],
  ["packages/journal/src/testing/a.ts", "@tablekeep/testkit"],
  ["packages/journal/src/a.test.ts", "@tablekeep/engine"],
  ["packages/entity/test/a.test.ts", "@tablekeep/journal/testing"],
  ["packages/testkit/test/a.ts", "@tablekeep/client"],
  ["packages/engine/test/a.ts", "@tablekeep/client"],
  ["packages/tablekeep/src/cli/a.ts", "../server/start-server.ts"],
  ["packages/tablekeep/src/a.test.ts", "../test/run-main.ts"],
  ["packages/tablekeep/src/a.test.ts", "../../../scripts/lib/dynamodb-local.mjs"],
  ["packages/tablekeep/console/mail/a.ts", "../shell/route.ts"],
  ["packages/tablekeep/console/a.ts", "preact/hooks"],
  ["packages/tablekeep/test/console/a.test.ts", "../../console/shell/route.ts"],
  ["scripts/check.mjs", "anything"],
])("%s may import %s", (path, specifier) => {
  expect(check(path, specifier)).toEqual([]);
});

test("every way to import is seen, and comments are not", () => {
  const source = `
    /** import { a } from "comment-1"; */
    // import b from "comment-2";
    import one from "one";
    import type { Two } from "two";
    import {
      three,
    } from "three";
    import "four";
    export { five } from "five";
    export type { Six } from "six";
    const seven = await import("seven");
    type Eight = import("eight").Eight;
    const url = "http://example.test"; import { nine } from "nine";
  `;
  const numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
  expect(importsOf(source).toSorted()).toEqual(numbers.toSorted());
});
