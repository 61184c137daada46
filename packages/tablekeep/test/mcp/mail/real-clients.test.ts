/** The wait tools of `tablekeep mcp` on mail that is stored already, with the client of the official SDK. */
import type { Client } from "@modelcontextprotocol/client";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProgram } from "../../build-program.ts";
import { type ServedProcess, startServed } from "../../shadow/served-process.ts";
import { tempFolder } from "../../temp-folder.ts";
import { call, stdioClient } from "../agent.ts";

const folder = tempFolder();
let served: ServedProcess;
let urls: Readonly<Record<string, string>>;
let client: Client;

beforeAll(async () => {
  const program = await buildProgram();
  served = startServed(program, folder);
  urls = await served.urls;
  client = await stdioClient(program, folder);
});
afterAll(async () => {
  await client.close();
  expect(await served.stop()).toBe(0);
});

async function send(subject: string, text: string): Promise<void> {
  const { hostname: host, port } = new URL((urls["smtp"] ?? "").replace("smtp:", "http:"));
  const transport = createTransport({ host, port: Number(port) });
  await transport.sendMail({ from: "shop@example.com", to: "carl@example.com", subject, text });
  transport.close();
}

const wanted = { to: "carl@example.com", timeoutSeconds: 50 };

test("finds a code and a link behind newer messages without one", async () => {
  await send("Sign up", "Your code is 271828.\nhttps://example.com/confirm?t=2");
  await send("Welcome", "Nice to have you here.");
  await send("Terms", "They have changed.");
  expect(await call(client, "wait_for_code", wanted)).toMatchObject({
    code: "271828",
    message: { subject: "Sign up" },
  });
  const link = await call(client, "wait_for_link", wanted);
  expect(link).toMatchObject({ link: "https://example.com/confirm?t=2" });
});

test("waits for a new message if no stored one has the link", async () => {
  const next = call(client, "wait_for_link", { ...wanted, contains: "/later" });
  await send("Later", "https://example.com/later");
  expect(await next).toMatchObject({ link: "https://example.com/later", message: { subject: "Later" } });
});

test("reads a limited number of stored messages, and then only new ones", async () => {
  for (let number = 1; number <= 50; number++) await send(`Newsletter ${number}`, "No code here.");
  const code = call(client, "wait_for_code", wanted);
  await send("Again", "Your code is 314159.");
  expect(await code).toMatchObject({ code: "314159", message: { subject: "Again" } });
});
