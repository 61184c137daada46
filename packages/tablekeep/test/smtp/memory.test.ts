import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { mailTableSpec, openMail } from "@tablekeep/mail";
import { expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../temp-folder.ts";
import { startSmtp } from "./start-smtp.ts";

const run = promisify(execFile);
const sender = fileURLToPath(new URL("../fixtures/smtp/send-large.mjs", import.meta.url));
const megabyte = 1024 * 1024;

/** Anonymous memory of this process, in megabytes. */
function anonymousMemory(): number {
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}

test.skipIf(process.platform !== "linux")(
  "16 messages of 50 MB at once take no more than 256 MB",
  async () => {
    await using engine = await openEngine({ storage: { kind: "folder", path: tempFolder() } });
    await ensureTable(engine, mailTableSpec());
    // Sixteen writers are slow on a busy machine; speed is not tested here.
    const mail = await openMail(engine, { deadlineMs: 120_000 });
    onTestFinished(() => mail.close());
    const { port } = await startSmtp({ receiver: mail });
    const send = async (connections: number, bytes: number): Promise<string[]> => {
      const { stdout } = await run(process.execPath, [sender, ...[port, connections, bytes].map(String)]);
      return JSON.parse(stdout);
    };
    await send(1, megabyte);
    const before = anonymousMemory();
    const additional = async (): Promise<number> => {
      let most = 0;
      const watch = setInterval(() => {
        most = Math.max(most, anonymousMemory() - before);
      }, 20);
      const answers = await send(16, 50 * megabyte);
      clearInterval(watch);
      expect(answers).toHaveLength(16);
      for (const answer of answers) expect(answer).toMatch(/^250 Ok: queued as /);
      return most;
    };
    // On a busy machine garbage is collected later: what counts is the best of three rounds.
    let least = await additional();
    for (let round = 2; round <= 3 && least >= 256; round++) least = Math.min(least, await additional());
    expect(least).toBeLessThan(256);
  },
);
