import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startServer } from "../../src/server/start-server.ts";
import { tempFolder } from "../temp-folder.ts";

const run = promisify(execFile);
const sender = fileURLToPath(new URL("../fixtures/smtp/send-large.mjs", import.meta.url));
const megabyte = 1024 * 1024;

/** Memory of this process that is no file, in megabytes. */
function anonymousMemory(): number {
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}

test.skipIf(process.platform !== "linux")(
  "16 messages of 50 MB at once take no more than 256 MB",
  async () => {
    await using server = await startServer({
      dataFolder: tempFolder(),
      httpPort: 0,
      dynamodb: false,
      smtpPort: 0,
      journals: [],
      // Sixteen writers on a busy machine take their time; that is another test's matter.
      mail: { store: { deadlineMs: 120_000 } },
    });
    const { port = "" } = new URL(server.listeners.find(({ name }) => name === "smtp")?.url ?? "");
    const send = async (connections: number, bytes: number): Promise<string[]> => {
      const { stdout } = await run(process.execPath, [sender, port, String(connections), String(bytes)]);
      return JSON.parse(stdout);
    };
    await send(1, megabyte);
    const before = anonymousMemory();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, anonymousMemory());
    }, 20);
    const answers = await send(16, 50 * megabyte);
    clearInterval(watch);
    expect(answers).toHaveLength(16);
    for (const answer of answers) expect(answer).toMatch(/^250 Ok: queued as /);
    expect(most - before).toBeLessThan(256);
  },
  180_000,
);
