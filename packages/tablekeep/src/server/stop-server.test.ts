import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { mailTableSpec, openMail } from "@tablekeep/mail";
import { openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { connectAsync } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import { rawClient } from "../../test/smtp/smtp-client.ts";
import { type RunningServer, startServer } from "./start-server.ts";

let engine: Engine;
let server: RunningServer;
let line: HeldPort;

interface HeldPort {
  readonly port: DynamoPort;
  /** From now on writes wait until they are released. */
  hold(): void;
  /** Resolves once this many writes wait. */
  waiting(count: number): Promise<void>;
  letGo(): void;
}

/** A port whose writes the test can hold. */
function heldPort(given: DynamoPort): HeldPort {
  let held: Promise<void> | undefined;
  let letGo = () => {};
  let waiting = 0;
  const port = wrapPort(given, async (operation, input, options, next) => {
    if (held !== undefined && /^(Put|Update|TransactWrite|BatchWrite)/.test(operation)) {
      waiting += 1;
      await held;
    }
    return next(operation, input, options);
  });
  return {
    port,
    hold() {
      held = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    waiting: (count) => expect.poll(() => waiting).toBeGreaterThanOrEqual(count),
    letGo: () => letGo(),
  };
}

beforeEach(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, shadowTableSpec());
  await ensureTable(engine, mailTableSpec());
  line = heldPort(engine);
  server = await startServer({
    port: line.port,
    journals: [],
    httpPort: 0,
    smtpPort: 0,
    mqttPort: 0,
    stopGraceMs: 60_000,
  });
});
afterEach(async () => {
  await server.stop();
  await engine.close();
});

const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
const stateOf = async (id: string) => (await openShadowManager(engine).get({ id, name: "" }))?.state.desired;

test("an HTTP request in flight is performed and answered", async () => {
  line.hold();
  const url = `${urlOf("http")}api/v3/shadows/a`;
  const answer = fetch(url, { method: "PATCH", body: '{"desired":{"on":true}}' });
  await line.waiting(1);
  const stopped = server.stop();
  line.letGo();
  expect((await answer).status).toBe(200);
  await stopped;
  expect(await stateOf("a")).toEqual({ on: true });
});

test("a message whose DATA has begun is read to its end, stored and acknowledged", async () => {
  const client = await rawClient(urlOf("smtp"));
  await client.say("HELO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n", 4);
  client.send("subject: in flight\r\n");
  const stopped = server.stop();
  const rest = client.rest();
  client.send("\r\nx\r\n.\r\n");
  expect(await rest).toMatch(/^250 Ok: queued as \S+\r\n421 /);
  client.socket.destroy();
  await stopped;
  const mail = await openMail(engine);
  expect((await mail.list()).items.map(({ subject }) => subject)).toEqual(["in flight"]);
  await mail.close();
});

test.each([
  ["MQTT", () => urlOf("mqtt")],
  ["MQTT in a web socket", () => `${urlOf("http").replace("http", "ws")}mqtt`],
])("a message in flight by %s is performed and acknowledged", async (_name, url) => {
  const client = await connectAsync(url(), { reconnectPeriod: 0 });
  line.hold();
  const document = '{"state":{"desired":{"on":true}}}';
  const acknowledged = client.publishAsync("$aws/things/lamp/shadow/update", document, { qos: 1 });
  await line.waiting(1);
  const stopped = server.stop();
  line.letGo();
  await acknowledged;
  await stopped;
  expect(await stateOf("lamp")).toEqual({ on: true });
  await client.endAsync(true);
});

test("streams end at once, and so do clients that are idle", async () => {
  const events = await fetch(`${urlOf("http")}api/v3/shadow-events`);
  const client = await connectAsync(urlOf("mqtt"), { reconnectPeriod: 0 });
  await server.stop();
  expect(await events.text()).toBe(":\n\n");
  await client.endAsync(true);
});
