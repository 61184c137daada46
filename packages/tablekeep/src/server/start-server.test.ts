import { connect, ensureTable } from "@tablekeep/client";
import { wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { shadowTableSpec } from "@tablekeep/shadow";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../test/temp-folder.ts";
import { isServerError } from "./server-error.ts";
import { type RunningServer, startServer } from "./start-server.ts";

const dataFolder = tempFolder();
const otherFolder = tempFolder();
const own = { dataFolder, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 };

describe("startServer", () => {
  test("can be stopped twice, and frees its port", async () => {
    const first = await startServer({ ...own, httpPort: 0 });
    const port = Number(new URL(first.listeners[0]?.url ?? "").port);
    await Promise.all([first.stop(), first.stop()]);
    const second = await startServer({ ...own, httpPort: port });
    await second[Symbol.asyncDispose]();
  });

  test("rejects with a typed error if a port is in use, and leaves nothing behind", async () => {
    const holder = await startServer({
      dataFolder: otherFolder,
      httpPort: 0,
      dynamodb: false,
      smtp: false,
      mqtt: false,
    });
    const port = Number(new URL(holder.listeners[0]?.url ?? "").port);
    const error = await startServer({ ...own, httpPort: port }).catch((thrown: unknown) => thrown);
    expect(isServerError(error, "SERVER_PORT_TAKEN") && error.details).toMatchObject({
      listener: "http",
      host: "127.0.0.1",
      port,
    });
    await holder.stop();
    // The folder is released as well.
    await (await startServer({ ...own, httpPort: 0 })).stop();
  });

  test("stops what it has started if a part cannot be opened", async () => {
    await using engine = await openEngine({ storage: { kind: "memory" } });
    await ensureTable(engine, shadowTableSpec());
    const clock = fakeClock();
    let requests = 0;
    const port = wrapPort(engine, (operation, input, options, next) => {
      requests++;
      return next(operation, input, options);
    });
    const sync = { endpoint: "not a URL", shadows: [{ things: "*" }] };
    const shadows = { pollSeconds: 1, sync };
    const failed = startServer({ port, clock, httpPort: 0, mqttPort: 0, journals: [], mail: false, shadows });
    await expect(failed).rejects.toMatchObject({ code: "SERVER_OPTION_INVALID" });
    const before = requests;
    await clock.advance(60_000);
    expect(requests).toBe(before);
  });

  test("without dynamodb nothing listens for it", async () => {
    await using server = await startServer({
      dataFolder: otherFolder,
      httpPort: 0,
      dynamodb: false,
      smtp: false,
      mqtt: false,
    });
    expect(server.listeners.map(({ name }) => name)).not.toContain("dynamodb");
  });

  test("the DynamoDB endpoint stores tables in the folder, across restarts", async () => {
    const credentials = { accessKeyId: "any", secretAccessKey: "any" };
    const item = { id: { S: "1" }, bytes: { B: new Uint8Array([0, 255]) } };
    const portOf = (server: RunningServer) =>
      connect({ endpoint: server.listeners.find(({ name }) => name === "dynamodb")?.url, credentials });
    {
      await using server = await startServer({ ...own, httpPort: 0 });
      await using port = portOf(server);
      await port.createTable({
        TableName: "carts",
        KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
        AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
        BillingMode: "PAY_PER_REQUEST",
      });
      await expect
        .poll(async () => (await port.describeTable({ TableName: "carts" })).Table?.TableStatus)
        .toBe("ACTIVE");
      await port.putItem({ TableName: "carts", Item: item });
    }
    await using server = await startServer({ ...own, httpPort: 0 });
    await using port = portOf(server);
    expect((await port.getItem({ TableName: "carts", Key: { id: { S: "1" } } })).Item).toEqual(item);
  });

  test("distinguishes an address of another machine from a port in use", async () => {
    const options = { ...own, httpPort: 0, host: "203.0.113.1", allowAnonymous: true };
    await expect(startServer(options)).rejects.toMatchObject({ code: "SERVER_HOST_UNAVAILABLE" });
  });

  test("an aborted signal stops it", async () => {
    const stop = new AbortController();
    const server = await startServer({ ...own, httpPort: 0, signal: stop.signal });
    const url = server.listeners[0]?.url ?? "";
    expect((await fetch(url)).status).toBe(200);
    stop.abort();
    await server.stop();
    await expect(fetch(url)).rejects.toThrow();
  });

  test("IPv6 loopback is served and written with brackets", async (context) => {
    const server = await startServer({ ...own, httpPort: 0, host: "::1" }).catch((error: unknown) => {
      if (isServerError(error, "SERVER_HOST_UNAVAILABLE")) return context.skip("this machine has no IPv6");
      throw error;
    });
    const url = server.listeners[0]?.url ?? "";
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/$/);
    expect((await fetch(`${url}healthz`)).status).toBe(200);
    await server.stop();
  });
});
