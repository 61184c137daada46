/** Authentication of SMTP, MQTT and HTTPS: the listeners beside plain HTTP. */
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { hashSync } from "bcryptjs";
import { connectAsync } from "mqtt";
import { afterEach, expect, test } from "vitest";
import { certificate } from "../../../test/smtp/certificate.ts";
import { rawClient } from "../../../test/smtp/smtp-client.ts";
import { type RunningServer, startServer } from "../start-server.ts";
import { parseUsers } from "./secret-files.ts";

const users = parseUsers(`anna:${hashSync("right", 4)}\n`, "users");
const anyPorts = { memory: true, httpPort: 0, dynamodb: false, smtpPort: 0, mqttPort: 0 };
let server: RunningServer;
afterEach(() => server.stop());

const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";

test("over SMTP, a client must wait after five failures, on any connection", async () => {
  server = await startServer({ ...anyPorts, mail: { users } });
  const signIn = async (password: string) => {
    const client = await rawClient(urlOf("smtp"));
    await client.say("EHLO x\r\n");
    const plain = Buffer.from(`\0anna\0${password}`).toString("base64");
    const reply = await client.say(`AUTH PLAIN ${plain}\r\n`);
    client.socket.destroy();
    return reply.slice(0, 3);
  };
  for (let times = 0; times < 5; times++) expect(await signIn("wrong")).toBe("535");
  expect(await signIn("right")).toBe("535");
  await expect.poll(() => signIn("right"), { interval: 300 }).toBe("235");
});

test("over MQTT, a client must wait after five failures, on any connection", async () => {
  server = await startServer({ ...anyPorts, shadows: { users } });
  const signIn = async (password: string) => {
    const options = { reconnectPeriod: 0, username: "anna", password };
    const client = await connectAsync(urlOf("mqtt"), options, false).catch(() => undefined);
    await client?.endAsync();
    return client !== undefined;
  };
  for (let times = 0; times < 5; times++) expect(await signIn("wrong")).toBe(false);
  expect(await signIn("right")).toBe(false);
  await expect.poll(() => signIn("right"), { interval: 300 }).toBe(true);
});

test("with a certificate, HTTP is served as HTTPS, and MQTT's web socket uses TLS, too", async () => {
  server = await startServer({ ...anyPorts, certificate });
  const url = urlOf("http");
  expect(url).toMatch(/^https:/);
  const answer = await new Promise<string>((resolve, reject) => {
    const sent = request(new URL("/healthz", url), { rejectUnauthorized: false }, (response) =>
      resolve(text(response)),
    );
    sent.on("error", reject).end();
  });
  expect(JSON.parse(answer)).toMatchObject({ status: "ok" });
  const client = await connectAsync(`${url.replace("https", "wss")}mqtt`, {
    reconnectPeriod: 0,
    rejectUnauthorized: false,
  });
  await client.endAsync();
  await expect(fetch(url.replace("https", "http"))).rejects.toThrow();
});

test("the server does not start with an invalid certificate", async () => {
  const broken = startServer({ ...anyPorts, certificate: { key: "x", cert: "y" } });
  await expect(broken).rejects.toMatchObject({ code: "SERVER_OPTION_INVALID" });
  server = await startServer(anyPorts);
});
