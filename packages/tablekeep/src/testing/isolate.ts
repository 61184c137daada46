import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { ensureTable } from "@tablekeep/client";
import { silentLogger, systemClock } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { type Journal, type JournalOptions, journalTableSpec, openJournal } from "@tablekeep/journal";
import { dynamoDbListener } from "../server/dynamodb/dynamodb-listener.ts";
import { type Inbox, inboxAt } from "./inbox.ts";
import { inboxDomain, type SharedServer, sharedServer } from "./shared-server.ts";
import { type DeviceOptions, openDevice, type TestDevice } from "./test-device.ts";
import { type TestEvents, testEvents } from "./test-events.ts";
import { removeInbox, withUser } from "./test-inbox.ts";
import { logShadows, removeShadows, type TestShadow, testShadow } from "./test-shadow.ts";

/** Everything that one test has for itself. */
export interface Isolated extends AsyncDisposable {
  /** A name that no other test has. */
  readonly name: string;
  /** A DynamoDB in this process, without tables. For the AWS SDK: `await sdkClient(t.engine)` of `@tablekeep/client`. */
  readonly engine: Engine;
  /** The endpoint of the same DynamoDB for SDKs in any process. */
  readonly dynamodbUrl: string;
  /** The console, AWS IoT's shadow paths and our own API. All tests of the process share this server. */
  readonly url: string;
  /** The SMTP server, with the user that sends to `inbox`. */
  readonly smtpUrl: string;
  /** The address for MQTT clients. */
  readonly mqttUrl: string;
  /** The mail of this test. */
  readonly inbox: Inbox;
  /** The environment variables for an application that this test starts. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Returns an address whose mail arrives in `inbox`, even if the sender does not authenticate.
   *
   * @example
   * await signUp(t.address("ann"));
   */
  address(localPart: string): string;
  /**
   * Opens a journal in `engine`, and creates its table.
   *
   * @example
   * const journal = await t.journal();
   * await journal.append("cart-1", { payload: { type: "added", sku: "apple" } });
   */
  journal<Event = unknown>(options?: JournalOptions<Event>): Promise<Journal<Event>>;
  /**
   * Returns the events of an id, in the journal with these options.
   *
   * @example
   * await t.events("cart-1").waitFor({ type: "paid" });
   */
  events<Event = unknown>(id: string, options?: JournalOptions<Event>): TestEvents<Event>;
  /**
   * Returns the name of a thing that no other test has.
   *
   * @example
   * await startApplication({ THING: t.thing("lamp") });
   */
  thing(name: string): string;
  /**
   * Returns the shadow of a thing of this test: classic, or with a name.
   *
   * @example
   * await t.shadow("lamp").desire({ on: true });
   */
  shadow(thing: string, name?: string): TestShadow;
  /**
   * Connects a device, which can lose its connection, repeat messages and send old ones.
   *
   * @example
   * const lamp = await t.device("lamp");
   * lamp.goOffline();
   */
  device(thing: string, options?: DeviceOptions): Promise<TestDevice>;
  /**
   * Ends all waits, and deletes everything of this test. May be called twice.
   *
   * @example
   * afterEach(() => t.close());
   */
  close(): Promise<void>;
}

/** The context of a test in node:test or vitest: closes what the test has when it is over. */
export type TestOwner =
  | { after(close: () => Promise<void>): unknown }
  | { onTestFinished(close: () => Promise<void>): unknown };

/**
 * Returns a DynamoDB, an inbox, journals and shadows that one test has for itself. Tests may run in parallel. The first call of a
 * process starts a server in memory; each further call takes about a millisecond.
 *
 * @example
 * await using t = await isolate();
 * await signUp(t.address("ann"), t.env);
 * expect(await t.inbox.waitFor(t.address("ann"))).toHaveLink(/confirm/);
 */
export async function isolate(owner?: TestOwner): Promise<Isolated> {
  const server = await sharedServer();
  const engine = await openEngine({ storage: { kind: "memory" } });
  const target = { listener: "dynamodb", host: "127.0.0.1", port: 0, portFlag: "" };
  const endpoint = dynamoDbListener({ target, backend: engine, clock: systemClock, logger: silentLogger });
  let dynamodbUrl: string;
  try {
    dynamodbUrl = await endpoint.start();
  } catch (error) {
    await engine.close();
    throw error;
  }
  const name = `t${randomBytes(6).toString("hex")}`;
  const isolated = assemble({ name, server, engine, dynamodbUrl, stopEndpoint: () => endpoint.stop(0) });
  if (owner !== undefined) {
    if ("after" in owner) owner.after(isolated.close);
    else owner.onTestFinished(isolated.close);
  }
  return isolated;
}

interface Parts {
  readonly name: string;
  readonly server: SharedServer;
  readonly engine: Engine;
  readonly dynamodbUrl: string;
  stopEndpoint(): Promise<void>;
}

function assemble(parts: Parts): Isolated {
  const { name, server, engine, dynamodbUrl } = parts;
  const { url, mqttUrl } = server;
  const ending = new AbortController();
  const { signal } = ending;
  // Each wait of the test listens for its end.
  setMaxListeners(0, signal);
  const log = logShadows(server.changes, `${name}-`);
  const opened: { close(): Promise<void> }[] = [];
  const smtpUrl = withUser(server.smtpUrl, `test+${name}`);
  const mail = lazy(() => ({
    inbox: inboxAt(url, { inbox: name, signal }),
    env: environment({ url, smtpUrl, mqttUrl, dynamodbUrl }),
  }));
  const journal = async <Event>(options: JournalOptions<Event> = {}) => {
    signal.throwIfAborted();
    await ensureTable(engine, journalTableSpec({ table: options.table }));
    const own = await openJournal(engine, options);
    opened.push(own);
    return own;
  };
  const thing = (of: string) => `${name}-${of}`;
  const close = once(async () => {
    ending.abort(new Error("the test has ended"));
    await Promise.all(opened.map((each) => each.close()));
    await parts.stopEndpoint();
    await engine.close();
    log.stop();
    await removeShadows(url, log.versions);
    if (mail.isUsed()) await removeInbox(url, name);
  });
  return {
    name,
    engine,
    dynamodbUrl,
    url,
    mqttUrl,
    get smtpUrl() {
      mail.get();
      return smtpUrl;
    },
    get inbox() {
      return mail.get().inbox;
    },
    get env() {
      return mail.get().env;
    },
    address(localPart) {
      mail.get();
      return `${localPart}@${name}.${inboxDomain}`;
    },
    journal,
    events<Event>(id: string, options?: JournalOptions<Event>) {
      return testEvents({ engine, journal: once(() => journal(options)), table: options?.table, id, signal });
    },
    thing,
    shadow: (of, shadowName = "") => testShadow({ url, thing: thing(of), name: shadowName, log, signal }),
    async device(of, options) {
      const device = await openDevice({ ...options, url: mqttUrl, thing: thing(of), signal });
      opened.push(device);
      return device;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A value that is made when it is first used. */
function lazy<Value>(make: () => Value): { get(): Value; isUsed(): boolean } {
  let made: { readonly value: Value } | undefined;
  const get = () => {
    made ??= { value: make() };
    return made.value;
  };
  return { get, isUsed: () => made !== undefined };
}

function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  return lazy(work).get;
}

type Addresses = Pick<Isolated, "url" | "smtpUrl" | "mqttUrl" | "dynamodbUrl">;

/** Names that AWS's SDKs and mail libraries know, and the addresses under common names. */
function environment({ url, smtpUrl, mqttUrl, dynamodbUrl }: Addresses): Record<string, string> {
  const smtp = new URL(smtpUrl);
  return {
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbUrl,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: dynamodbUrl,
    AWS_ENDPOINT_URL_IOT_DATA_PLANE: url,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    SMTP_URL: smtpUrl,
    SMTP_HOST: smtp.hostname,
    SMTP_PORT: smtp.port,
    SMTP_USER: decodeURIComponent(smtp.username),
    SMTP_PASSWORD: smtp.password,
    MQTT_URL: mqttUrl,
  };
}
