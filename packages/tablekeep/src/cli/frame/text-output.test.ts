import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../../../test/temp-folder.ts";
import { fileOutput, fitted, hasColors, streamOutput } from "./text-output.ts";

const folder = dirname(tempFolder());

test("a file appears when it is complete, and replaces the previous one atomically", async () => {
  const path = join(folder, "dump.json");
  writeFileSync(path, "before");
  const output = await fileOutput(path);
  await output.write("one ");
  await output.write("two");
  expect(readFileSync(path, "utf8")).toBe("before");
  await output.finish();
  expect(readFileSync(path, "utf8")).toBe("one two");
  expect(readdirSync(folder)).toEqual(["dump.json"]);
});

test("a discarded file leaves nothing behind", async () => {
  const path = join(folder, "given-up.json");
  const output = await fileOutput(path);
  await output.write("half");
  await output.discard();
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.includes("given-up"))).toEqual([]);
});

test("rejects a path that is a folder, and leaves nothing behind", async () => {
  const path = join(folder, "taken");
  mkdirSync(path);
  const output = await fileOutput(path);
  await expect(output.finish()).rejects.toMatchObject({ code: "CLI_OUTPUT_FAILED", kind: "unavailable" });
  await output.discard();
  expect(readdirSync(folder).filter((name) => name.includes("taken"))).toEqual(["taken"]);
});

test("keeps a link, and replaces the file that it points to", async () => {
  const [path, link] = [join(folder, "linked.json"), join(folder, "link.json")];
  writeFileSync(path, "before");
  symlinkSync(path, link);
  const output = await fileOutput(link);
  await output.write("after");
  await output.finish();
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("after");
});

test.skipIf(process.platform === "win32")(
  "writes directly to what is not a regular file, such as /dev/stdout",
  async () => {
    const path = join(folder, "pipe");
    execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
    const reader = spawn("cat", [path], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void reader.kill());
    const output = await fileOutput(path);
    await output.write("one ");
    await output.write("two");
    await output.finish();
    expect(lstatSync(path).isFIFO()).toBe(true);
    expect(await text(reader.stdout)).toBe("one two");
  },
);

test("waits for a stream under backpressure, so that at most one page is in memory", async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const output = streamOutput(stream as never);
  let written = false;
  const writing = output.write("more than four").then(() => {
    written = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBe(false);
  expect(String(stream.read())).toBe("more than four");
  await writing;
});

test("a slow reader does not accumulate event listeners", async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const output = streamOutput(stream as never);
  const counts = () => [stream.listenerCount("drain"), stream.listenerCount("close")];
  const before = counts();
  for (let at = 0; at < 30; at++) {
    const writing = output.write("more than four");
    expect(counts()).toEqual(before.map((count) => count + 1));
    stream.read();
    await writing;
  }
  expect(counts()).toEqual(before);
});

test("a stream whose reader has closed does not block the writer", async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const writing = streamOutput(stream as never).write("more than four");
  stream.destroy();
  await writing;
});

test.each([
  [true, {}, true],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [true, { TERM: "dumb" }, false],
  [false, {}, false],
  [undefined, { FORCE_COLOR: "1" }, false],
])("isTTY %s with %j has colors: %s", (isTTY, env, expected) => {
  expect(hasColors({ write() {}, ...(isTTY !== undefined && { isTTY }) }, env)).toBe(expected);
});

test.each([
  ["abcdef", { isTTY: true, columns: 4 }, "abc…"],
  ["abcd", { isTTY: true, columns: 4 }, "abcd"],
  ["👩‍👩‍👧bc", { isTTY: true, columns: 4 }, "👩‍👩‍👧bc"],
  ["👩‍👩‍👧bcd", { isTTY: true, columns: 4 }, "👩‍👩‍👧b…"],
  ["請求書", { isTTY: true, columns: 6 }, "請求書"],
  ["請求書", { isTTY: true, columns: 5 }, "請求…"],
  ["請求書", { isTTY: true, columns: 4 }, "請…"],
  ["カナｶﾅ", { isTTY: true, columns: 6 }, "カナｶﾅ"],
  ["Grüße", { isTTY: true, columns: 5 }, "Grüße"],
  ["abcdef", { isTTY: false, columns: 4 }, "abcdef"],
  ["abcdef", { isTTY: true }, "abcdef"],
])("%s on %j is %s", (line, sink, expected) => {
  expect(fitted(line, { write() {}, ...sink })).toBe(expected);
});
