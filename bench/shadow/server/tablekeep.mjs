/** Our server with a durable folder, which is its only argument. Reports its address, and on request its CPU time. */
import { startServer } from "tablekeep";

const [dataFolder] = process.argv.slice(2);
const only = { dynamodb: false, mail: false, journals: [] };
const server = await startServer({ dataFolder, httpPort: 0, mqttPort: 0, ...only });
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMicros: user + system });
});
process.once("disconnect", () => void server.stop());
process.send(Object.fromEntries(server.listeners.map(({ name, url }) => [name, url])));
