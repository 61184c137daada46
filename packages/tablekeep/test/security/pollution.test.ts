/** Documents with names such as `__proto__` are data, at every listener that accepts JSON. */
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";
import { call, send } from "../wire/raw-dynamodb.ts";
import { everyRoute, filled } from "./every-route.ts";

// In this process: what is polluted there is polluted here.
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const polluted = '{"polluted":"yes"}';
const documents = [
  `{"__proto__":${polluted}}`,
  `{"constructor":{"prototype":${polluted}}}`,
  `{"state":{"desired":{"__proto__":${polluted},"constructor":{"prototype":${polluted}}}}}`,
  `{"state":{"__proto__":${polluted},"reported":{"a":{"__proto__":${polluted}}}},"__proto__":${polluted}}`,
  `{"events":[{"payload":{"__proto__":${polluted}},"__proto__":${polluted}}],"expected":0}`,
  `{"events":[{"payload":1,"tags":["__proto__"],"metadata":{"__proto__":${polluted}}}]}`,
  `[{"__proto__":${polluted}}]`,
  `{"name":"__proto__","host":"__proto__","email":"a@b.test","__proto__":${polluted}}`,
  `{"index":"__proto__","key":{"__proto__":${polluted}},"filter":{"__proto__":${polluted}}}`,
];

const isClean = () => ("polluted" in {} ? "polluted" : "clean");
/** The response to an internal error. */
const fault = "internal server error";

test("over HTTP, on every route with a body", async () => {
  const routes = (await everyRoute()).filter(({ method }) => ["POST", "PUT", "PATCH"].includes(method));
  expect(routes.length).toBeGreaterThan(8);
  for (const { method, path } of routes) {
    for (const name of ["x", "__proto__", "constructor"]) {
      for (const body of documents) {
        const url = new URL(filled(path, name), server.url);
        const answer = await send(url.href, { "content-type": "application/json" }, body, method);
        expect(isClean(), `${method} ${url.pathname} ${body}`).toBe("clean");
        expect(answer.body.toString(), `${method} ${url.pathname} ${body}`).not.toContain(fault);
      }
    }
  }
});

test("in queries", async () => {
  const names = ["__proto__", "__proto__[polluted]", "constructor.prototype.polluted", "constructor"];
  for (const { method, path } of await everyRoute()) {
    if (method !== "GET") continue;
    for (const name of names) {
      const url = new URL(
        `${filled(path, "__proto__")}?${encodeURIComponent(name)}=yes&kind=__proto__`,
        server.url,
      );
      const answer = await send(url.href, {}, "", method);
      expect(isClean(), url.href).toBe("clean");
      expect(answer.body.toString(), url.href).not.toContain(fault);
    }
  }
});

test("at the DynamoDB endpoint", async () => {
  const item = `{"pk":{"S":"a"},"__proto__":{"M":{"polluted":{"S":"yes"}}}}`;
  await call(server.dynamodbUrl, "CreateTable", {
    TableName: "things",
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    BillingMode: "PAY_PER_REQUEST",
  });
  const put = await call(server.dynamodbUrl, "PutItem", `{"TableName":"things","Item":${item}}`);
  expect(put.status).toBe(200);
  const got = await call(server.dynamodbUrl, "GetItem", `{"TableName":"things","Key":{"pk":{"S":"a"}}}`);
  expect(got.body.toString()).toContain('"__proto__"');
  for (const document of documents) await call(server.dynamodbUrl, "PutItem", document);
  expect(isClean()).toBe("clean");
});

test("over MQTT, and a shadow stores such names unchanged", async () => {
  const client = await connectAsync(server.mqttUrl);
  for (const document of documents)
    await client.publishAsync("$aws/things/__proto__/shadow/update", document, { qos: 1 });
  await client.endAsync();
  expect(isClean()).toBe("clean");
  const shadow = await send(new URL("/things/__proto__/shadow", server.url).href, {}, "", "GET");
  expect(shadow.status).toBe(200);
  expect(shadow.body.toString()).toContain('"__proto__":{"polluted":"yes"}');
});
