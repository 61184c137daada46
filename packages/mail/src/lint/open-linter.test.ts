import { afterAll, describe, expect, test } from "vitest";
import { lintMessage } from "./lint-message.ts";
import { openLinter } from "./open-linter.ts";

const linter = openLinter({ timeoutMs: 60_000 });
afterAll(() => linter.close());

const message = Buffer.from(
  "From: a@example.org\r\nSubject: hello\r\nContent-Type: text/html\r\n\r\n<p style='gap:1px'>Hello {{ name }}<img src='http://localhost/x.png'></p>\r\n",
);
/** Many parts, each of them HTML with many elements: seconds of work. */
const slow = Buffer.from(
  `Content-Type: multipart/mixed; boundary=b\r\n\r\n${`--b\r\nContent-Type: text/html\r\n\r\n${"<p style='gap:1px'><a href='http://localhost/'>x</a>".repeat(8000)}\r\n`.repeat(20)}--b--\r\n`,
);

/** A clock whose 10,000 milliseconds for a check are over in the next turn of the event loop, as long as it is impatient. */
function impatientClock() {
  let impatient = true;
  return {
    calm() {
      impatient = false;
    },
    now: () => 0,
    monotonic: () => 0,
    after(ms: number, callback: () => void) {
      const timer = impatient && ms === 10_000 ? setImmediate(callback) : undefined;
      return () => clearImmediate(timer);
    },
  };
}

describe("a linter", () => {
  test("finds what lintMessage finds, with the same options", async () => {
    const found = await linter.lint(message);
    expect(found).toEqual(await lintMessage(message));
    expect(found.map(({ rule }) => rule)).toContain("template-rest");
    const options = { allowHosts: ["localhost"], ignore: ["template-rest"], bulk: true } as const;
    expect(await linter.lint(message, options)).toEqual(await lintMessage(message, options));
  });

  test("does not work in the event loop: a check in progress is stopped by the timeout, and the next one works", async () => {
    const clock = impatientClock();
    const impatient = openLinter({ clock });
    await expect(impatient.lint(slow)).rejects.toMatchObject({
      code: "MAIL_LINT_REFUSED",
      details: { reason: "it takes longer than 10000 ms" },
    });
    clock.calm();
    expect(await impatient.lint(message)).toEqual(await lintMessage(message));
    await impatient.close();
    await expect(impatient.lint(message)).rejects.toMatchObject({ code: "MAIL_CLOSED" });
  });

  test("ends a check when its signal is aborted, and when it is closed", async () => {
    const gone = new AbortController();
    const reason = new Error("gone");
    const aborted = expect(linter.lint(slow, {}, { signal: gone.signal })).rejects.toBe(reason);
    setImmediate(() => gone.abort(reason));
    await aborted;
    const closing = openLinter();
    const atWork = expect(closing.lint(slow)).rejects.toMatchObject({ code: "MAIL_CLOSED" });
    await new Promise((resolve) => setImmediate(resolve));
    await closing.close();
    await atWork;
  });

  test("rejects invalid options, invalid zones and large messages with their own errors", async () => {
    const small = openLinter({ maxBytes: 10 });
    await expect(small.lint(message)).rejects.toMatchObject({ code: "MAIL_LINT_REFUSED" });
    await expect(linter.lint(message, { clients: ["nobody"] })).rejects.toMatchObject({
      code: "MAIL_OPTION_INVALID",
      details: { option: "clients" },
    });
    await expect(linter.lint(message, { zone: "$INCLUDE x" })).rejects.toMatchObject({
      code: "MAIL_ZONE_INVALID",
    });
    await expect(linter.lint("text" as never)).rejects.toMatchObject({ code: "MAIL_OPTION_INVALID" });
  });

  test("refuses messages if 100 others are waiting", async () => {
    const clock = impatientClock();
    clock.calm();
    const busy = openLinter({ clock });
    const calls = Array.from({ length: 101 }, () => busy.lint(message).catch((error: unknown) => error));
    expect(await calls[100]).toMatchObject({
      code: "MAIL_LINT_REFUSED",
      details: { reason: "100 other messages are waiting" },
    });
    await busy.close();
    await Promise.all(calls);
  });
});
