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
const urlOf = (wanted) => server.listeners.find(({ name }) => name === wanted).url;
report(Number(new URL(urlOf("smtp")).port), { http: urlOf("http") });
