import { readFileSync } from "node:fs";

/** Sends the parent the port, and on request the CPU time and the memory of this process. `more` is sent with the port. */
export function report(port, more = {}) {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpuMicros: user + system, rssBytes: process.memoryUsage.rss(), ...memoryByKind() });
  });
  process.on("disconnect", () => process.exit());
  process.send({ port, ...more });
}

/** The memory as `ps` shows it, by kind: of the process itself, and pages of files that the system can drop. Linux only. */
function memoryByKind() {
  try {
    const status = readFileSync("/proc/self/status", "latin1");
    const bytesOf = (name) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
    return { anonBytes: bytesOf("RssAnon"), fileBytes: bytesOf("RssFile") };
  } catch {
    return {};
  }
}
