import { IoTDataPlaneClient } from "@aws-sdk/client-iot-data-plane";
import { sdkClient } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { startTestServer } from "tablekeep/testing";
import { test as base } from "vitest";

export const test = base
  .extend("engine", { scope: "file" }, async ({}, { onCleanup }) => {
    const engine = await openEngine({ storage: { kind: "memory" } });
    onCleanup(() => engine.close());
    await engine.createTable({
      TableName: "carts",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    });
    return { port: engine, seeded: await engine.checkpoint() };
  })
  .extend("dynamodb", async ({ engine: { port, seeded } }) => {
    await port.restore(seeded);
    return sdkClient(port);
  })
  .extend("server", { scope: "file" }, async ({}, { onCleanup }) => {
    const server = await startTestServer();
    onCleanup(() => server.stop());
    return server;
  })
  .extend("inbox", ({ server }) => server.inbox)
  .extend("shadows", ({ server }, { onCleanup }) => {
    const credentials = { accessKeyId: "any", secretAccessKey: "any" };
    const client = new IoTDataPlaneClient({ endpoint: server.url, region: "us-east-1", credentials });
    onCleanup(() => client.destroy());
    return client;
  });
