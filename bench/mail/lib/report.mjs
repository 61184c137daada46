/** Sends the parent the port, and on request the CPU time of this process. */
export function report(port) {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpuMicros: user + system });
  });
  process.on("disconnect", () => process.exit());
  process.send({ port });
}
