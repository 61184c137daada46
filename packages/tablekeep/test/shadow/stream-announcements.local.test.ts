/** DynamoDB Local rounds the times of its stream's records down to minutes. */
import { randomUUID } from "node:crypto";
import { ensureTable, httpPort } from "@tablekeep/client";
import { ensureStream } from "@tablekeep/feed";
import { openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { connectAsync } from "mqtt";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { startServer } from "../../src/server/start-server.ts";
import { until } from "./packet-client.ts";

const endpoint = inject("dynamoDbLocal");
/** Other tests use the same table: each table that expires items occupies a thread of DynamoDB Local for good. */
const id = `lamp-${randomUUID()}`;

async function openTable() {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const port = httpPort({ endpoint, region: "us-east-1", credentials });
  onTestFinished(() => port.close());
  const spec = shadowTableSpec();
  await ensureTable(port, spec);
  await ensureStream(port, spec.name, "NEW_AND_OLD_IMAGES");
  const server = async () => {
    const started = await startServer({
      port,
      mail: false,
      journals: [],
      httpPort: 0,
      mqttPort: 0,
      shadows: { stream: true },
    });
    onTestFinished(() => started.stop());
    return (name: string) => started.listeners.find((each) => each.name === name)?.url ?? "";
  };
  return { port, table: spec.name, manager: openShadowManager(port), server };
}

describe.skipIf(endpoint === "")("the stream of DynamoDB Local", () => {
  test("announces the changes since the start, and no earlier ones", async () => {
    const { manager, server } = await openTable();
    await manager.report({ id, state: { n: 1 } });
    // Changes within the second of the start count as later ones.
    const written = Date.now();
    await until(() => Math.floor(Date.now() / 1000) > Math.floor(written / 1000));
    const urlOf = await server();
    const device = await connectAsync(urlOf("mqtt"), { reconnectPeriod: 0 });
    onTestFinished(() => device.endAsync(true));
    const received: number[] = [];
    device.on("message", (_topic, payload) => received.push(JSON.parse(String(payload)).current.version));
    await device.subscribeAsync(`$aws/things/${id}/shadow/update/documents`, { qos: 1 });
    for (const n of [2, 3]) await manager.report({ id, state: { n } });
    await until(() => received.length >= 2);
    expect(received).toEqual([2, 3]);
  });

  test("shows the changes to a table from now on", async () => {
    const { manager, server, table } = await openTable();
    const urlOf = await server();
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const response = await fetch(new URL(`/api/v3/tables/${table}/live`, urlOf("http")), {
      signal: end.signal,
    });
    expect(response.status).toBe(200);
    await manager.report({ id, state: { first: "seen" } });
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes("seen")) break;
    }
    expect(text).toContain("seen");
  });
});
