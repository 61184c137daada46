/** Our server with a durable folder, which is its only argument. */
import { startServer } from "tablekeep";
import { report } from "../lib/report.mjs";

const [dataFolder] = process.argv.slice(2);
const server = await startServer({
  dataFolder,
  httpPort: 0,
  dynamodb: false,
  mqtt: false,
  smtpPort: 0,
  journals: [],
});
report(Number(new URL(server.listeners.find(({ name }) => name === "smtp").url).port));
