import { expect, test } from "vitest";
import { tempFolder } from "../../../test/temp-folder.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { ToolCalls } from "./call-tool.ts";
import type { Tool, ToolCall } from "./tool.ts";

const io = { env: {}, signal: new AbortController().signal } as unknown as CommandIo;
const callIn = (data: string) => ({ flags: { data }, io }) as unknown as ToolCall;
const tool = (run: Tool["run"], timeoutMs?: number): Tool => ({
  name: "wait",
  description: "",
  input: {},
  ...(timeoutMs !== undefined && { timeoutMs }),
  run,
});
const errorOf = ({ content }: { content: { text: string }[] }) => JSON.parse(content[0]?.text ?? "").error;

test("a call that takes too long ends with an error", async () => {
  const untilAborted = tool(
    (_args, { io: { signal } }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
    1,
  );
  const answer = await new ToolCalls().run(untilAborted, {}, callIn(tempFolder()));
  expect([answer.isError, errorOf(answer)]).toMatchObject([
    true,
    { code: "CLI_MCP_TIMEOUT", kind: "unavailable" },
  ]);
});

test("calls beyond 32 that wait for a folder are rejected, and the others run in turn", async () => {
  const calls = new ToolCalls();
  const call = callIn(tempFolder());
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun = 0;
  const hold = tool(async () => {
    begun++;
    await held;
    return {};
  });
  const first = calls.run(hold, {}, call);
  await expect.poll(() => begun).toBe(1);
  const rest = Array.from({ length: 33 }, () => calls.run(hold, {}, call));
  const rejected = await Promise.race(rest);
  expect(errorOf(rejected)).toMatchObject({ code: "CLI_MCP_BUSY", kind: "throttled" });
  release();
  const answers = await Promise.all([first, ...rest]);
  expect(answers.filter(({ isError }) => isError)).toEqual([rejected]);
  expect(begun).toBe(33);
});
