import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const files = (...patterns: string[]) =>
  execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--", ...patterns], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => path.endsWith(".ts"));

/** Comparisons of an error's wording. */
const wordings = [
  /\.toThrow(?:Error)?\(\s*(?:\/|"|`|new RegExp|expect\.string)/,
  /\bmessage: expect\.(?:not\.)?string/,
  /\bmessage\)\s*\.(?:not\.)?to(?:Match|Contain|Be|Equal)\(/,
];

/** The string or the expression that a line compares with, if it is in the line. */
const quoted = (line: string) =>
  /(?:toThrow|toContain|toBe|stringContaining)\(\s*(["`])(.+?)\1/.exec(line)?.[2];

/** An error that the test itself throws may be recognized by its words. */
const isPlanted = (text: string, line: string) => {
  const words = quoted(line);
  if (words === undefined) return false;
  const begins = ["new Error(", "Rejected(", "message: ", "throw "];
  return begins.some((begin) => ['"', "`", "'"].some((quote) => text.includes(`${begin}${quote}${words}`)));
};

/** Test files that compare wording, how often, and why they may. */
const reasons = {
  fixed: "a protocol, an original or AWS's SDK fixes the words, or has no other field",
  secret: "the words must not contain a secret",
  tested: "the words are what is tested: matchers and test tools show them to a developer",
  http: "the error of a request over HTTP has a status, which several causes share, and words",
  planted: "the error is the test's own",
  log: "a line of a log, or of a model that has no fields",
  native:
    "the error is a plain one, for a mistake of the caller that types reject, or of a program's own bug",
  value: "the words contain a value that the error has nowhere else",
} as const;

type Reason = keyof typeof reasons;

const exceptions: Readonly<Record<string, readonly [count: number, reason: Reason]>> = {
  "packages/client/src/connect.test.ts": [1, "secret"],
  "packages/client/src/credentials/credentials.test.ts": [1, "secret"],
  "packages/client/src/sdk/sdk-client.test.ts": [1, "fixed"],
  "packages/client/src/tables/compare-table.test.ts": [1, "tested"],
  "packages/core/src/dynamo-error.test.ts": [1, "tested"],
  "packages/core/src/options.test.ts": [3, "native"],
  "packages/core/src/with-deadline.test.ts": [3, "planted"],
  "packages/engine/src/expression/apply-update.test.ts": [1, "fixed"],
  "packages/engine/src/expression/item-draft.test.ts": [2, "fixed"],
  "packages/engine/src/operations/unsupported.test.ts": [6, "fixed"],
  "packages/engine/src/partiql/statement-tokens.test.ts": [1, "fixed"],
  "packages/engine/src/storage/mapped-memory.test.ts": [2, "native"],
  "packages/engine/src/storage/write-queue.test.ts": [2, "native"],
  "packages/entity/src/testing/testing.test.ts": [11, "tested"],
  "packages/entity/test/unstorable-state.test.ts": [1, "log"],
  "packages/journal/src/codecs/maybe-promise.test.ts": [1, "planted"],
  "packages/journal/src/replay/replay.test.ts": [1, "planted"],
  "packages/journal/src/rows/original-item-size.test.ts": [1, "fixed"],
  "packages/journal/src/snapshots/unreadable-snapshots.test.ts": [1, "fixed"],
  "packages/journal/src/testing/snapshot-suite.test.ts": [1, "tested"],
  "packages/journal/test/journal-suite.test.ts": [1, "tested"],
  "packages/mail/src/lint/lint-message.test.ts": [1, "value"],
  "packages/mail/src/matchers/mail-matchers.test.ts": [1, "tested"],
  "packages/port-suite/src/case-table.test.ts": [3, "tested"],
  "packages/port-suite/src/port-suite.test.ts": [1, "tested"],
  "packages/shadow/src/aws/aws-names.test.ts": [2, "fixed"],
  "packages/shadow/test/shadow-suite.test.ts": [1, "tested"],
  "packages/tablekeep/src/cli/commands/table-verify.test.ts": [1, "value"],
  "packages/tablekeep/src/cli/store/open-store.test.ts": [2, "value"],
  "packages/tablekeep/src/server/dynamodb/unexpected-errors.test.ts": [1, "native"],
  "packages/tablekeep/src/server/entity-folds/entity-folds.test.ts": [1, "planted"],
  "packages/tablekeep/src/server/http/http-sign-in.test.ts": [1, "secret"],
  "packages/tablekeep/src/server/mail/forward/targets.test.ts": [1, "secret"],
  "packages/tablekeep/src/server/mail/inboxes/choose-inbox.test.ts": [1, "http"],
  "packages/tablekeep/src/server/release/relays.test.ts": [2, "secret"],
  "packages/tablekeep/src/server/shadow/shadow-part.test.ts": [1, "fixed"],
  "packages/tablekeep/src/server/shadow/shadow-schemas.test.ts": [3, "fixed"],
  "packages/tablekeep/src/server/tables/undo/undo-steps.test.ts": [5, "http"],
  "packages/tablekeep/src/testing/inbox.test.ts": [1, "tested"],
  "packages/tablekeep/src/testing/isolate.test.ts": [2, "tested"],
  "packages/tablekeep/src/testing/matchers.test.ts": [9, "tested"],
  "packages/tablekeep/test/browser/hostile-mail.test.ts": [1, "fixed"],
  "packages/tablekeep/test/console/fold-events.test.ts": [1, "native"],
  "packages/tablekeep/test/mcp/mail/real-clients.test.ts": [1, "value"],
  "packages/tablekeep/test/mcp/unserved/real-clients.test.ts": [2, "value"],
  "packages/tablekeep/test/real-clients.test.ts": [1, "fixed"],
  "packages/tablekeep/test/wire/protocol.test.ts": [1, "fixed"],
  "packages/testkit/src/faults/faulty-port.test.ts": [2, "tested"],
  "packages/testkit/src/interleave/interleave.local.test.ts": [4, "tested"],
  "packages/testkit/src/stop-after-nth/stop-after-nth.local.test.ts": [3, "tested"],
  "scripts/lib/complete-lock.test.ts": [1, "value"],
};

/** This file contains the patterns. */
const self = "scripts/lib/error-tests.test.ts";

test("tests compare codes and fields of errors, not their words", () => {
  const found: Record<string, number> = {};
  for (const path of files("packages/*.test.ts", "examples/*.test.ts", "scripts/*.test.ts")) {
    if (path === self) continue;
    const text = read(path);
    // A call may go on in the next line.
    const lines = text.replace(/\(\n\s+/g, "(").split("\n");
    const count = lines.filter(
      (line) => wordings.some((wording) => wording.test(line)) && !isPlanted(text, line),
    ).length;
    if (count > 0) found[path] = count;
  }
  const listed = Object.fromEntries(Object.entries(exceptions).map(([path, [count]]) => [path, count]));
  expect(found).toEqual(listed);
});

/** Codes that no test provokes, and why. */
const unprovoked: Readonly<Record<string, string>> = {
  SERVER_PORT_DENIED: "needs a user without privileges, and a system that reserves ports",
};

test("every code of an error is compared in a test", () => {
  const codes = [...read("docs/reference/errors.md").matchAll(/^\| `([A-Z]+_[A-Z_]+)` /gm)].map(
    ([, code]) => code,
  );
  // Tests name the exceptions of DynamoDB, from which its codes are formed.
  const own = codes.filter((code) => code !== undefined && !code.startsWith("DYNAMO_"));
  const tests = files(
    "packages/*.test.ts",
    "packages/*/test/*",
    "packages/*/src/testing/*",
    "examples/*/test/*",
  );
  const text = tests.map(read).join("\n");
  expect(own.length).toBeGreaterThan(150);
  expect(own.filter((code) => !new RegExp(`\\b${code}\\b`).test(text)).toSorted()).toEqual(
    Object.keys(unprovoked).toSorted(),
  );
});
