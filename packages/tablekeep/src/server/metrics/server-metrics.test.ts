import { ensureTable, httpPort } from "@tablekeep/client";
import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { shadowTableSpec } from "@tablekeep/shadow";
import { connectAsync } from "mqtt";
import { createTransport } from "nodemailer";
import { afterEach, expect, test } from "vitest";
import { readMetrics } from "../../../test/read-metrics.ts";
import { rawClient } from "../../../test/smtp/smtp-client.ts";
import { type RunningServer, startServer } from "../start-server.ts";

const anyPorts = { httpPort: 0, dynamodb: false, smtpPort: 0, mqttPort: 0 };
let server: RunningServer;
afterEach(() => server.stop());

const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
const metrics = () => readMetrics(urlOf("http"));

test("requests are counted by part, route and status, for any path", async () => {
  server = await startServer({ ...anyPorts, memory: true });
  for (const path of ["api/v3/shadows/a", "api/v3/shadows/b", "nothing/here", "nothing/there"])
    await (await fetch(urlOf("http") + path)).text();
  const route = 'part="shadows",method="GET",route="/api/v3/shadows/:thing"';
  await expect
    .poll(async () => (await metrics()).value(`tablekeep_http_requests_total{${route},status="404"}`))
    .toBe(2);
  const { value } = await metrics();
  const nowhere = 'part="none",method="other",route="none"';
  expect(value(`tablekeep_http_requests_total{${nowhere},status="404"}`)).toBe(2);
  const took = 'tablekeep_http_request_duration_seconds_count{part="shadows",route="/api/v3/shadows/:thing"}';
  expect(value(took)).toBe(2);
});

test("counts messages, SMTP errors, MQTT clients and streams", async () => {
  server = await startServer({ ...anyPorts, memory: true });
  const { hostname, port } = new URL(urlOf("smtp"));
  const transport = createTransport({ host: hostname, port: Number(port), ignoreTLS: true });
  await transport.sendMail({ from: "a@b.example", to: "c@d.example", text: "x" });
  const raw = await rawClient(urlOf("smtp"));
  await raw.say("HELO x\r\nNONSENSE\r\n", 2);
  const client = await connectAsync(urlOf("mqtt"), { reconnectPeriod: 0 });
  const stream = new AbortController();
  const events = await fetch(`${urlOf("http")}api/v3/shadow-events`, { signal: stream.signal });
  const { value } = await metrics();
  expect(value("tablekeep_smtp_messages_total")).toBe(1);
  expect(value('tablekeep_smtp_errors_total{code="500"}')).toBe(1);
  expect(value("tablekeep_mqtt_clients")).toBe(1);
  expect(value("tablekeep_event_streams")).toBe(1);
  expect(value('tablekeep_table_requests_total{table="mail"}')).toBeGreaterThan(0);
  stream.abort();
  await events.text().catch(() => {});
  await client.endAsync();
  await expect.poll(async () => (await metrics()).value("tablekeep_event_streams")).toBe(0);
  await expect.poll(async () => (await metrics()).value("tablekeep_mqtt_clients")).toBe(0);
});

/** A port that can be disconnected. */
function switched(port: DynamoPort): { readonly port: DynamoPort; isCut: boolean } {
  const state = {
    isCut: false,
    port: wrapPort(port, async (operation, input, options, next) => {
      if (state.isCut) throw new Error("cut off at 192.0.2.1");
      return next(operation, input, options);
    }),
  };
  return state;
}

test("counts requests and capacity of clients of the DynamoDB endpoint", async () => {
  server = await startServer({
    httpPort: 0,
    dynamodbPort: 0,
    memory: true,
    journals: [],
    mail: false,
    shadows: false,
  });
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const port = httpPort({ endpoint: urlOf("dynamodb"), region: "us-east-1", credentials });
  await ensureTable(port, { name: "orders", partitionKey: { name: "id", type: "S" } });
  const unitsOf = async (kind: string) =>
    (await metrics()).value(`tablekeep_table_${kind}_total{table="orders"}`);
  const requests = (await unitsOf("requests")) ?? 0;
  await port.putItem({ TableName: "orders", Item: { id: { S: "1" }, note: { S: "x".repeat(1500) } } });
  await port.getItem({ TableName: "orders", Key: { id: { S: "1" } }, ConsistentRead: true });
  expect(await unitsOf("write_units")).toBe(2);
  expect(await unitsOf("read_units")).toBe(1);
  expect(await unitsOf("requests")).toBe(requests + 2);
  await port.close();
});

test("counts capacity on a port of the caller, and is not ready without its tables", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, shadowTableSpec());
  const line = switched(engine);
  server = await startServer({ ...anyPorts, port: line.port, journals: [], mail: false });
  const ready = async () => {
    const answer = await fetch(`${urlOf("http")}readyz`);
    return [answer.status, await answer.json()];
  };
  expect(await ready()).toEqual([200, { status: "ready" }]);
  await fetch(`${urlOf("http")}api/v3/shadows/a`, { method: "PATCH", body: '{"desired":{"on":true}}' });
  const { value } = await metrics();
  expect(value('tablekeep_table_write_units_total{table="device-shadows"}')).toBeGreaterThan(0);
  line.isCut = true;
  const why = "1 of 1 tables cannot be reached: INTERNAL";
  await expect.poll(ready).toEqual([503, { status: "not ready", why }]);
  // The server is still alive.
  expect((await fetch(`${urlOf("http")}healthz`)).status).toBe(200);
  line.isCut = false;
  await expect.poll(ready).toEqual([200, { status: "ready" }]);
});
