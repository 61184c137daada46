import { expect, test } from "vitest";
import { CliError } from "./cli-error.ts";
import { stderrLogger } from "./server-output.ts";

test("warnings and errors go to stderr with their facts and the stack; nothing else does", () => {
  let text = "";
  const logger = stderrLogger({ write: (chunk) => (text += String(chunk)) });
  logger.debug("not shown");
  logger.info("not shown");
  logger.warn("slow", { ms: 12, table: "things", absent: undefined });
  expect(text).toBe("warning: slow ms=12 table=things\n");
  text = "";
  logger.error("request failed", { requestId: "A1", error: new Error("odd") });
  expect(text).toMatch(/^error: request failed requestId=A1: Error: odd\n {4}at /);
  text = "";
  logger.error("request failed", { error: "a string" });
  expect(text).toBe("error: request failed: a string\n");
});

test("a warning with an error that has a code is one line", () => {
  let text = "";
  const logger = stderrLogger({ write: (chunk) => (text += String(chunk)) });
  logger.warn("not stored", { error: new CliError("CLI_VALUE_INVALID", "odd") });
  expect(text).toBe("warning: not stored: odd [CLI_VALUE_INVALID]\n");
  text = "";
  logger.error("failed", { error: new CliError("CLI_VALUE_INVALID", "odd") });
  expect(text).toMatch(/^error: failed: [^\n]*odd\n {4}at /);
});

test("control characters of a name are escaped", () => {
  let text = "";
  const logger = stderrLogger({ write: (chunk) => (text += String(chunk)) });
  logger.warn("rejected", { client: "a\nerror: b\u001b[2J\u009b", user: "ä \\n" });
  expect(text).toBe("warning: rejected client=a\\u000aerror: b\\u001b[2J\\u009b user=ä \\n\n");
});
