import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { portHolder } from "./port-holder.ts";

const proc = mkdtempSync(join(tmpdir(), "tablekeep-proc-"));
afterAll(() => rmSync(proc, { recursive: true, force: true }));

/** 8025 is 1F59 in hexadecimal. The second socket is on the same port, but not a listener. */
const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F59 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 77 1 0 100 0 0 10 0
   1: 0100007F:1F59 0100007F:8001 01 00000000:00000000 00:00000000 00000000     0        0 78 1 0 100 0 0 10 0
`;

function process(pid: string, words: readonly string[], files: readonly string[]): void {
  mkdirSync(join(proc, pid, "fd"), { recursive: true });
  writeFileSync(join(proc, pid, "cmdline"), `${words.join("\0")}\0`);
  for (const [at, file] of files.entries()) symlinkSync(file, join(proc, pid, "fd", String(at)));
}

test("the holder is named by its program, without its arguments, and by its folder", async () => {
  mkdirSync(join(proc, "net"));
  writeFileSync(join(proc, "net", "tcp"), table);
  mkdirSync(join(proc, "self"));
  process("12", ["/usr/bin/curl", "http://127.0.0.1:8025"], ["socket:[78]"]);
  const words = ["/usr/bin/node", "/app/bin/tablekeep.js", "serve", "--secret-access-key", "canary"];
  process("34", words, ["/dev/null", "/srv/shop data/data.mdb", "socket:[77]"]);
  expect(await portHolder(8025, proc)).toEqual({
    pid: 34,
    program: "node tablekeep.js",
    dataFolder: "/srv/shop data",
  });
  expect(await portHolder(8026, proc)).toBeUndefined();
});

test("a system without this information is not a failure", async () => {
  expect(await portHolder(8025, join(proc, "nothing"))).toBeUndefined();
});

test.runIf(globalThis.process.platform === "linux")("this process is found by its own port", async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  expect(await portHolder(port)).toMatchObject({ pid: globalThis.process.pid });
  server.close();
});
