/** Tells the parent the port, and the CPU time of this process whenever it asks. */
export function report(port) {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpuMicros: user + system });
  });
  process.on("disconnect", () => process.exit());
  process.send({ port });
}
