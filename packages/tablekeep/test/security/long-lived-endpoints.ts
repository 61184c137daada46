import { request } from "node:http";
import { silentLogger } from "@tablekeep/core";
import { startServer } from "../../src/server/start-server.ts";
import { servedEndpoints } from "../served-endpoints.ts";
import { tempFolder } from "../temp-folder.ts";

const anyPorts = { httpPort: 0, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 };

/** The content type of the answer to a GET. Its body is not read: some never end. */
function typeOf(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false }, (answer) => {
      answer.destroy();
      resolve(String(answer.headers["content-type"]));
    });
    sent.on("error", reject);
    sent.end();
  });
}

/**
 * Returns the names of everything a client can connect to for long, from the lists that the server itself uses: every
 * listener that it logs, every web socket, and every route that answers with a stream of events.
 */
export async function longLivedEndpoints(): Promise<string[]> {
  const { routes, upgrades } = await servedEndpoints({ memory: true, ...anyPorts });
  const listeners = new Map<string, string>();
  const logger = {
    ...silentLogger,
    info: (message: string, fields?: Readonly<Record<string, unknown>>) => {
      if (message === "listening") listeners.set(String(fields?.["listener"]), String(fields?.["url"]));
    },
  };
  await using _server = await startServer({ dataFolder: tempFolder(), ...anyPorts, feed: true, logger });
  const streams: string[] = [];
  for (const { method, path } of routes) {
    if (method !== "GET") continue;
    const filled = path
      .replace(":journal", "journal")
      .replace(":table", "mail")
      .replace(/[:*]\w+/g, "x");
    const type = await typeOf(new URL(`${filled}?timeoutMs=1`, listeners.get("http")));
    if (type.startsWith("text/event-stream")) streams.push(`stream ${path}`);
  }
  const all = [...listeners.keys(), ...upgrades.map(({ path }) => `web socket ${path}`), ...streams];
  // An inbox has the endpoints of the default one, by the same code.
  return [...new Set(all.map((name) => name.replace("/inbox/:inbox/", "/")))].toSorted();
}
