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
let program = "";

beforeAll(async () => {
  program = await buildProgram();
  served = startServed(program, folder);
  urls = await served.urls;
  client = await stdioClient(program, folder);
});
afterAll(() => client.close());

async function send(
  subject: string,
  text: string,
  to: string | string[] = "carl@example.com",
): Promise<void> {
  const { hostname: host, port } = new URL((urls["smtp"] ?? "").replace("smtp:", "http:"));
  const transport = createTransport({ host, port: Number(port) });
  await transport.sendMail({ from: "shop@example.com", to, subject, text });
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

test("stays within the limit of bytes for a message with many recipients and long links", async () => {
  const small = await stdioClient(program, folder, "--max-bytes", "4096");
  const to = Array.from({ length: 90 }, (_, at) => `${"r".repeat(60)}${at}@example.com`);
  const links = Array.from({ length: 40 }, (_, at) => `https://example.com/${"l".repeat(500)}${at}`);
  await send("Many", `Your code is 123123. https://example.com/short ${links.join(" ")}`, to);
  const waits = { wait_for_message: {}, wait_for_code: {}, wait_for_link: { contains: "short" } };
  for (const [tool, more] of Object.entries(waits)) {
    const answer = await call(small, tool, { subject: "Many", ...more });
    expect(answer).toMatchObject({ message: { id: expect.any(String), cursor: expect.any(String) } });
    expect(JSON.stringify(answer).length, tool).toBeLessThan(4096);
  }
  const { message } = await call(small, "wait_for_message", { subject: "Many" });
  for (const part of ["text", "source"]) {
    const answer = await call(small, "get_mail", { id: message.id, part });
    expect(answer["id"]).toBe(message.id);
    expect(JSON.stringify(answer).length, part).toBeLessThan(4500);
  }
  const shown = await call(small, "get_mail", { id: message.id });
  expect(shown["links"][0]).toBe("https://example.com/short");
  expect(shown["links"].length + shown["moreLinks"]).toBe(41);
  await small.close();
});

test("reports after a wait that the server has stopped meanwhile", async () => {
  const { position } = await call(client, "list_mail");
  const waiting = call(client, "wait_for_message", { since: position, timeoutSeconds: 5 });
  expect(await served.stop()).toBe(0);
  expect(await waiting).toMatchObject({
    error: {
      code: expect.stringMatching(/^(?:CLI_NO_MESSAGE|CLIENT_UNREACHABLE)$/),
      message: expect.stringContaining("tablekeep serve"),
    },
  });
});
