import {
  InvalidRequestException,
  IoTDataPlaneClient,
  UpdateThingShadowCommand,
} from "@aws-sdk/client-iot-data-plane";
import { silentLogger } from "@tablekeep/core";
import { connectAsync } from "mqtt";
import { afterEach, describe, expect, test } from "vitest";
import { parseSchemas } from "../setting-files/shadow-schemas.ts";
import { type RunningServer, startServer } from "../start-server.ts";

const lamp = {
  type: "object",
  properties: {
    reported: {
      type: "object",
      properties: { on: { type: "boolean" }, level: { type: "integer", maximum: 100 } },
      additionalProperties: false,
    },
  },
};
const file = (mode: string) =>
  JSON.stringify({ types: [{ name: "lamp", version: 2, things: "lamp-*", mode, schema: lamp }] });

let server: RunningServer | undefined;
afterEach(() => server?.stop());

async function start(mode: string, warnings: object[] = []): Promise<void> {
  const schemas = await parseSchemas(file(mode), "schemas.json");
  const logger = { ...silentLogger, warn: (_message: string, fields = {}) => void warnings.push(fields) };
  const ports = { httpPort: 0, mqttPort: 0, dynamodb: false, smtp: false };
  server = await startServer({ memory: true, ...ports, logger, shadows: { schemas } });
}

const urlOf = (name: string) => server?.listeners.find((each) => each.name === name)?.url ?? "";
const patch = (thing: string, reported: object) =>
  fetch(new URL(`/api/v3/shadows/${thing}`, urlOf("http")), {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reported }),
  });
const sdk = () =>
  new IoTDataPlaneClient({
    endpoint: urlOf("http"),
    region: "local",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    maxAttempts: 1,
  });
const report = (thingName: string, reported: object) =>
  new UpdateThingShadowCommand({ thingName, payload: Buffer.from(JSON.stringify({ state: { reported } })) });

describe("a schema that rejects", () => {
  test("answers AWS's SDK with InvalidRequestException, and writes nothing", async () => {
    await start("reject");
    const client = sdk();
    await client.send(report("lamp-1", { on: true }));
    const rejected = client.send(report("lamp-1", { on: "yes" }));
    await expect(rejected).rejects.toBeInstanceOf(InvalidRequestException);
    await expect(rejected).rejects.toThrow("/reported/on");
    const shadow = await (await fetch(new URL("/api/v3/shadows/lamp-1", urlOf("http")))).json();
    expect(shadow).toMatchObject({ version: 1, state: { reported: { on: true } } });
    client.destroy();
  });

  test("answers MQTT with rejected, code 400 and the client token", async () => {
    await start("reject");
    const client = await connectAsync(urlOf("mqtt"), { reconnectPeriod: 0 });
    const topic = "$aws/things/lamp-1/shadow/update";
    await client.subscribeAsync(`${topic}/rejected`);
    const answer = new Promise<unknown>((resolve) => {
      client.once("message", (_topic, payload) => resolve(JSON.parse(payload.toString())));
    });
    await client.publishAsync(topic, '{"state":{"reported":{"level":101}},"clientToken":"t1"}', { qos: 1 });
    expect(await answer).toMatchObject({
      code: 400,
      clientToken: "t1",
      message: expect.stringContaining("/reported/level"),
    });
    await client.endAsync();
  });

  test("checks the state after the merge, and only things that its pattern matches", async () => {
    await start("reject");
    expect((await patch("lamp-1", { level: 5 })).status).toBe(200);
    expect((await patch("lamp-1", { level: null, on: true })).status).toBe(200);
    const rejected = await patch("lamp-1", { color: "red" });
    expect([rejected.status, JSON.stringify(await rejected.json())]).toEqual([
      400,
      expect.stringContaining("SHADOW_SCHEMA_VIOLATION"),
    ]);
    expect((await patch("door-1", { color: "red" })).status).toBe(200);
  });
});

test("a schema that warns accepts the update, and logs each problem of a shadow once", async () => {
  const warnings: object[] = [];
  await start("warn", warnings);
  for (const n of [1, 2]) expect((await patch("lamp-1", { color: n })).status).toBe(200);
  expect(warnings).toEqual([
    expect.objectContaining({ thing: "lamp-1", schema: "lamp version 2", path: "/reported" }),
  ]);
});

const type = { name: "lamp", version: 1, things: "*", schema: {} };

test("a problem names the property that is not allowed, and the values that are", async () => {
  const reported = {
    $ref: "#lamp",
    $defs: {
      lamp: {
        $anchor: "lamp",
        properties: { color: { enum: ["red", "blue"] }, kind: { const: "lamp" }, on: {} },
        additionalProperties: false,
      },
    },
  };
  const text = JSON.stringify({ types: [{ ...type, schema: { properties: { reported } } }] });
  const validate = (await parseSchemas(text, "schemas.json")).validator(silentLogger);
  const reasonFor = (state: Record<string, string>) =>
    validate({ id: "lamp", name: "" }, { reported: state })?.reason;
  expect(reasonFor({ on: "any", color: "red" })).toBeUndefined();
  expect(reasonFor({ colour: "red" })).toBe('must not have the property "colour"');
  expect(reasonFor({ color: "green" })).toBe('must be one of "red","blue"');
  expect(reasonFor({ kind: "fan" })).toBe('must be "lamp"');
});

const fileOf = (change: object) => JSON.stringify({ types: [{ ...type, ...change }] });

test.each([
  ["{", undefined, ""],
  ["[]", "", ""],
  ['{"types":[]}', "/types", ""],
  [fileOf({ version: 0 }), "/types/0/version", ""],
  [fileOf({ mode: "off" }), "/types/0/mode", ""],
  [fileOf({ thing: "x" }), "/types/0/thing", ""],
  [fileOf({ schema: { type: "strin" } }), "/types/0/schema", "type"],
  [fileOf({ schema: { $ref: "https://schemas.test/lamp" } }), "/types/0/schema", "https://schemas.test/lamp"],
  [fileOf({ schema: { typ: "object" } }), "/types/0/schema", '"typ"'],
  [fileOf({ schema: { $schema: "http://json-schema.org/draft-07/schema#" } }), "/types/0/schema/$schema", ""],
  [fileOf({ schema: { format: "date-time" } }), "/types/0/schema", '"date-time"'],
])("the file %s is rejected in one line, with the place and the value", async (text, pointer, value) => {
  const error = await parseSchemas(text, "schemas.json").catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    code: "SERVER_SCHEMAS_FILE_INVALID",
    details: { path: "schemas.json", pointer, reason: expect.stringContaining(value) },
  });
  expect((error as Error).message).not.toContain("\n");
});

/** Schemas of the standard, with a state that matches and one that does not. */
const standard: [name: string, reported: object, good: object, bad: object][] = [
  ["a required key that is not described", { required: ["on"] }, { on: 1 }, { off: 1 }],
  ["keywords without a type", { properties: { level: { minimum: 1 } } }, { level: 1 }, { level: 0 }],
  ["alternatives", { anyOf: [{ required: ["a"] }, { required: ["b"] }] }, { b: 1 }, { c: 1 }],
  [
    "a condition",
    JSON.parse('{"if":{"properties":{"mode":{"const":"dim"}}},"then":{"required":["level"]}}'),
    { mode: "dim", level: 1 },
    { mode: "dim" },
  ],
  [
    "the first elements of a list",
    { properties: { at: { prefixItems: [{ type: "number" }] } } },
    { at: [1, "x"] },
    { at: ["x"] },
  ],
  [
    "a key that also matches a pattern",
    { properties: { ab: { minLength: 2 } }, patternProperties: { "^a": { type: "string" } } },
    { ab: "xy" },
    { ab: 1 },
  ],
  [
    "several types",
    { properties: { level: { type: ["integer", "string"] } } },
    { level: "high" },
    { level: true },
  ],
];

test.each(standard)("a schema may have %s", async (_name, reported, good, bad) => {
  const schema = { properties: { reported } };
  const { validator } = await parseSchemas(JSON.stringify({ types: [{ ...type, schema }] }), "schemas.json");
  const validate = validator(silentLogger);
  const shadow = { id: "lamp", name: "" };
  expect(validate(shadow, { reported: good as never })).toBeUndefined();
  expect(validate(shadow, { reported: bad as never })).toMatchObject({ schema: "lamp version 1" });
});

test("types may have schemas with the same $id, each with references to itself", async () => {
  const tree = (key: string) => ({
    $id: "https://schemas.test/tree",
    $defs: {
      node: { properties: { [key]: { $ref: "https://schemas.test/tree#/$defs/node" } }, type: "object" },
    },
    properties: { reported: { $ref: "#/$defs/node" } },
  });
  const types = [
    { ...type, things: "old-*", schema: tree("next") },
    { ...type, version: 2, schema: tree("child") },
  ];
  const validate = (await parseSchemas(JSON.stringify({ types }), "schemas.json")).validator(silentLogger);
  const check = (id: string, reported: object) => validate({ id, name: "" }, { reported: reported as never });
  expect([check("old-1", { child: { child: 1 } }), check("new-1", { next: { next: 1 } })]).toEqual([
    undefined,
    undefined,
  ]);
  expect(check("old-1", { next: { next: 1 } })).toMatchObject({
    schema: "lamp version 1",
    path: "/reported/next/next",
  });
  expect(check("new-1", { child: { child: 1 } })).toMatchObject({
    schema: "lamp version 2",
    path: "/reported/child/child",
  });
});
