/** Sends the parent the port, and on request the CPU time and the memory of this process. `more` is sent with the port. */
export function report(port, more = {}) {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpuMicros: user + system, rssBytes: process.memoryUsage.rss() });
  });
  process.on("disconnect", () => process.exit());
  process.send({ port, ...more });
}
