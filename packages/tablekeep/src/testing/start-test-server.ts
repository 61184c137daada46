import type { ServerOptions } from "../server/options/server-options.ts";
import { startServer } from "../server/start-server.ts";
import { type Inbox, inboxAt } from "./inbox.ts";
import { createInbox, type TestInbox } from "./test-inbox.ts";

/** A whole server for one test, or for all tests of a file. */
export interface TestServer extends AsyncDisposable {
  /** The console, MailHog's API, AWS IoT's shadow paths, and our own API. */
  readonly url: string;
  /** The SMTP server for senders of mail. */
  readonly smtpUrl: string;
  /** The address for MQTT clients. */
  readonly mqttUrl: string;
  /** The DynamoDB endpoint for SDKs. */
  readonly dynamodbUrl: string;
  /** The mail that it received. */
  readonly inbox: Inbox;
  /**
   * Creates an inbox for one test, so that tests can share this server.
   *
   * @example
   * await using inbox = await server.newInbox();
   */
  newInbox(): Promise<TestInbox>;
  /**
   * Stops the server. May be called twice.
   *
   * @example
   * afterAll(() => server.stop());
   */
  stop(): Promise<void>;
}

const ownPorts = { httpPort: 0, smtpPort: 0, mqttPort: 0, dynamodbPort: 0 };

/**
 * Starts a server in memory, on ports that the system chooses, so that tests can run in parallel and leave nothing behind.
 *
 * @example
 * await using server = await startTestServer();
 * await signUp("ann@example.org", { smtp: server.smtpUrl });
 * const mail = await server.inbox.waitFor("ann@example.org");
 */
export async function startTestServer(options: ServerOptions = {}): Promise<TestServer> {
  const server = await startServer({ memory: true, ...ownPorts, ...options });
  const at = (listener: string) => server.listeners.find(({ name }) => name === listener)?.url ?? "";
  const stop = () => server.stop();
  const web = new URL(`${options.webPath ?? ""}/`, at("http")).href;
  return {
    url: at("http"),
    smtpUrl: at("smtp"),
    mqttUrl: at("mqtt"),
    dynamodbUrl: at("dynamodb"),
    inbox: inboxAt(web),
    newInbox: () => createInbox({ url: web, smtpUrl: at("smtp") || undefined }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
