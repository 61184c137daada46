/** Opens a folder at a given time and keeps it open until told to end, or killed. Prints the result. */
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { isEngineError, openEngine } from "@tablekeep/engine";

const [path = "", startAt = "0", endpoint] = process.argv.slice(2);
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);

// All processes of a race start in the same millisecond, so the last milliseconds are a busy wait.
await pause(Math.max(0, Number(startAt) - Date.now() - 5));
while (Date.now() < Number(startAt));

try {
  const engine = await openEngine({ storage: { kind: "folder", path } });
  if (endpoint !== undefined) engine.announce(endpoint);
  say({ won: true, pid: process.pid });
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once("end", resolve));
  await engine.close();
} catch (error) {
  if (!isEngineError(error, "ENGINE_FOLDER_LOCKED")) throw error;
  say({ won: false, pid: process.pid, owner: error.details.pid });
}
