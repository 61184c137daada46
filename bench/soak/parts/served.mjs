import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../packages/tablekeep/bin/tablekeep.js", import.meta.url));

/** `tablekeep serve` on a folder, all listeners on free ports. */
export async function startServed(folder) {
  const ports = ["http", "dynamodb", "smtp", "mqtt"].flatMap((name) => [`--${name}-port`, "0"]);
  const args = [program, "serve", "--json", "--data", folder, ...ports];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  // Also if the soak itself fails.
  process.once("exit", () => child.kill("SIGKILL"));
  const ended = once(child, "exit");
  const [line] = await Promise.race([once(child.stdout, "data"), ended.then(() => [""])]);
  if (line === "") throw new Error("the server does not start");
  const { listeners } = JSON.parse(String(line));
  const urls = Object.fromEntries(listeners.map(({ name, url }) => [name, url]));
  return {
    urls,
    /** Private memory of the process in bytes; the heap is the part that JavaScript uses. */
    async memory() {
      const text = await (await fetch(new URL("/metrics", urls.http))).text();
      const heap = Number(/^tablekeep_memory_bytes\{kind="heap"\} (\S+)$/m.exec(text)?.[1]);
      const resident = Number(/^tablekeep_memory_bytes\{kind="rss"\} (\S+)$/m.exec(text)?.[1]);
      return { heap, rssAnon: anonymous(child.pid) ?? resident };
    },
    async stop() {
      child.kill("SIGTERM");
      return (await ended)[0];
    },
  };
}

/** Without the pages of the folder's files, which the kernel keeps until the memory is needed elsewhere. */
function anonymous(pid) {
  if (process.platform !== "linux") return undefined;
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
