/** Files in a data folder are readable only by their owner, whatever the umask. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { tempFolder } from "../temp-folder.ts";

const folder = tempFolder();
const beside = join(folder, "..", "temp");
let program = "";
let child: ChildProcess;
let urls: Readonly<Record<string, string>> = {};
beforeAll(async () => {
  program = await buildProgram();
  mkdirSync(beside);
  const ports = ["http", "dynamodb", "smtp", "mqtt"].map((name) => `--${name}-port 0`).join(" ");
  // With the laxest umask that there is.
  const line = `umask 000; exec "${process.execPath}" "${program}" serve --json --data "${folder}" ${ports}`;
  child = spawn("sh", ["-c", line], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: beside },
  });
  const [output] = await once(child.stdout as NodeJS.ReadableStream, "data");
  const { listeners } = JSON.parse(String(output)) as { listeners: { name: string; url: string }[] };
  urls = Object.fromEntries(listeners.map(({ name, url }) => [name, url]));
});
afterAll(async () => {
  child.kill("SIGTERM");
  await once(child, "exit");
});

/** Files that others may access, as `path mode`; empty if there are none. */
function openToOthers(place: string): string[] {
  const entries = readdirSync(place, { withFileTypes: true, recursive: true });
  const paths = [place, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  return paths
    .map((path) => ({ path, mode: statSync(path).mode & 0o777 }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ path, mode }) => `${path} ${mode.toString(8)}`);
}

test("the folder and its files, with mail, events and shadows in them", async () => {
  const transport = createTransport(`${urls["smtp"]}`);
  await transport.sendMail({
    from: "a@b.test",
    to: "c@d.test",
    subject: "private",
    text: "x".repeat(300_000),
  });
  transport.close();
  const put = (path: string, body: string) => fetch(new URL(path, urls["http"]), { method: "POST", body });
  expect((await put("/things/lamp/shadow", '{"state":{"desired":{"on":1}}}')).status).toBe(200);
  expect((await put("/api/v3/journals/journal/ids/a/events", '{"events":[{"payload":1}]}')).status).toBe(200);
  expect(readdirSync(folder).length).toBeGreaterThan(1);
  expect(openToOthers(folder)).toEqual([]);
});

test("nothing was left in the folder for temporary files", () => {
  expect(readdirSync(beside)).toEqual([]);
});

test.each([
  ["table export", ["table", "export", "mail", "--output", "FILE"]],
  ["journal export", ["journal", "export", "--output", "FILE"]],
  ["mail export", ["mail", "export", "--output", "FILE"]],
])("what %s writes", async (name, args) => {
  const file = join(folder, "..", name.replace(" ", "-"));
  const words = [...args.map((word) => (word === "FILE" ? file : word)), "--data", folder];
  const quoted = words.map((word) => `"${word}"`).join(" ");
  const run = spawn("sh", ["-c", `umask 000; exec "${process.execPath}" "${program}" ${quoted}`], {
    stdio: "ignore",
  });
  expect((await once(run, "exit"))[0]).toBe(0);
  const isFolder = statSync(file).isDirectory();
  expect(isFolder ? openToOthers(file) : [statSync(file).mode & 0o077]).toEqual(isFolder ? [] : [0]);
});
