/** `tablekeep mcp` on a folder that no process serves, with the client of the official SDK. */
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProgram } from "../../build-program.ts";
import { runMain } from "../../run-main.ts";
import { startServed } from "../../shadow/served-process.ts";
import { tempFolder } from "../../temp-folder.ts";
import { call, readTools, stdioClient } from "../agent.ts";

const folder = tempFolder();
let program = "";
let client: Client;

beforeAll(async () => {
  program = await buildProgram();
  const { stderr } = await runMain(["mail", "put", "--to", "ann@example.com", "--create", "--data", folder]);
  expect(stderr).toBe("");
  client = await stdioClient(program, folder);
});
afterAll(() => client.close());

test("is read-only", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual(readTools);
  await expect(client.callTool({ name: "put_item", arguments: {} })).rejects.toThrow(/put_item/);
});

test("runs calls that arrive together, and leaves the folder to others between them", async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => call(client, "list_tables")));
  expect(answers).toEqual(answers.map(() => ({ tables: ["mail"] })));
  const served = startServed(program, folder);
  await served.urls;
  expect(await call(client, "list_mail")).toMatchObject({ messages: [expect.anything()] });
  expect(await served.stop()).toBe(0);
  expect(await call(client, "list_mail")).toMatchObject({ messages: [expect.anything()] });
});

test("takes turns with another process", async () => {
  const other = await stdioClient(program, folder);
  const both = [client, other];
  const answers = await Promise.all(both.flatMap((each) => [1, 2, 3].map(() => call(each, "list_tables"))));
  await other.close();
  for (const { tables } of answers) expect(tables).toContain("mail");
});

test("does not wait for mail that nothing can receive", async () => {
  const stored = await call(client, "wait_for_message", { to: "ann@example.com" });
  expect(stored).toMatchObject({ message: expect.anything() });
  const none = await call(client, "wait_for_message", { to: "ben@example.com", timeoutSeconds: 50 });
  expect(none).toMatchObject({
    error: { code: "CLI_NO_MESSAGE", message: expect.stringContaining("serve") },
  });
});

test("reads events within a range, which must not be empty", async () => {
  for (const payload of ["1", "2"])
    expect(await runMain(["journal", "put", "cart|1", payload, "--create", "--data", folder])).toMatchObject({
      code: 0,
      stderr: "",
    });
  const { events, next } = await call(client, "read_events", { id: "cart|1", to: 1, limit: 1 });
  expect([events, next]).toMatchObject([[{ payload: 1 }], undefined]);
  const backward = await call(client, "read_events", { id: "cart|1", from: 2, to: 1 });
  expect(backward).toMatchObject({ error: { code: "CLI_VALUE_INVALID" } });
});
