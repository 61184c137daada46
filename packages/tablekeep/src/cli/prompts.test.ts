import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { terminalPrompt, terminalSecret } from "./main.ts";

/** A terminal on which `keys` are typed once a question is shown. */
function terminal(keys: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const shown = new PassThrough();
  stderr.once("data", () => setImmediate(() => stdin.write(keys)));
  stderr.pipe(shown);
  const streams = { stdin, stderr } as unknown as Pick<NodeJS.Process, "stdin" | "stderr">;
  const written = () => {
    stderr.end();
    return text(shown);
  };
  return { streams, written };
}

const never = new AbortController().signal;

test.each([
  ["y\r", true],
  ["YES\r", true],
  ["n\r", false],
  ["\r", false],
])("%j is the answer %s", async (keys, expected) => {
  const { streams } = terminal(keys);
  expect(await terminalPrompt(streams, never)?.("Delete it? ")).toBe(expected);
});

test.each([
  ["Ctrl+C", "\u0003"],
  ["Ctrl+D", "\u0004"],
])("%s at a question interrupts the command, on its own line", async (_name, keys) => {
  const { streams, written } = terminal(keys);
  await expect(terminalPrompt(streams, never)?.("Delete it? ")).rejects.toMatchObject({
    code: "CLI_ABORTED",
    kind: "aborted",
  });
  expect(await written()).toMatch(/Delete it\? [^\n]*\n$/);
  const secret = terminal(keys);
  await expect(terminalSecret(secret.streams, never)?.("Password: ")).rejects.toMatchObject({
    code: "CLI_ABORTED",
  });
});

test("a signal at a question interrupts the command", async () => {
  const stop = new AbortController();
  const { streams } = terminal("");
  const asked = terminalPrompt(streams, stop.signal)?.("Delete it? ");
  stop.abort();
  await expect(asked).rejects.toMatchObject({ code: "CLI_ABORTED" });
});
