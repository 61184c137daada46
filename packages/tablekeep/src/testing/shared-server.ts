import { startServer } from "../server/start-server.ts";
import { followShadows, type ShadowChanges } from "./shadow-changes.ts";

/** The server that all tests of a process share: mail and shadows. Each test has its own DynamoDB. */
export interface SharedServer {
  readonly url: string;
  readonly smtpUrl: string;
  readonly mqttUrl: string;
  readonly changes: ShadowChanges;
}

/** The domain below which each inbox has its own: `ann@{inbox}.test`. */
export const inboxDomain = "test";

let shared: Promise<SharedServer> | undefined;

/** Returns the server of this process, which starts with the first test and ends with the process. */
export async function sharedServer(): Promise<SharedServer> {
  shared ??= start();
  const starting = shared;
  try {
    const server = await starting;
    if (server.changes.failure === undefined) return server;
  } catch (error) {
    if (shared === starting) shared = undefined;
    throw error;
  }
  // Later tests must see all changes again.
  if (shared === starting) shared = undefined;
  return sharedServer();
}

async function start(): Promise<SharedServer> {
  const server = await startServer({
    memory: true,
    httpPort: 0,
    smtpPort: 0,
    mqttPort: 0,
    dynamodb: false,
    journals: [],
    mail: { inboxDomain },
  });
  server.unref();
  const at = (listener: string) => server.listeners.find(({ name }) => name === listener)?.url ?? "";
  try {
    const changes = await followShadows(at("http"));
    return { url: at("http"), smtpUrl: at("smtp"), mqttUrl: at("mqtt"), changes };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
