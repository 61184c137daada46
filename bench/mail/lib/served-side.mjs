/** Our server on a folder, in a separate process. */
import { fork } from "node:child_process";
import { once } from "node:events";

export async function startServed(folder, { execArgv = [] } = {}) {
  const child = fork(new URL("../server/tablekeep.mjs", import.meta.url), [folder], { execArgv });
  const [{ port, http }] = await once(child, "message");
  return {
    port,
    http,
    pid: child.pid,
    /** CPU and memory so far. */
    async usage() {
      child.send("usage");
      return (await once(child, "message"))[0];
    },
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
