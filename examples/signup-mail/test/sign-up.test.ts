import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { startTestServer, type TestServer } from "tablekeep/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signUpServer } from "../src/sign-up-server.ts";

let mail: TestServer;
let service: Server;
let url = "";

beforeAll(async () => {
  mail = await startTestServer({ mqtt: false, dynamodb: false });
  service = signUpServer(mail.smtpUrl).listen(0, "127.0.0.1");
  await once(service, "listening");
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});

afterAll(async () => {
  service.close();
  await mail.stop();
});

async function post(path: string, body: unknown): Promise<number> {
  const answer = await fetch(new URL(path, url), { method: "POST", body: JSON.stringify(body) });
  await answer.arrayBuffer();
  return answer.status;
}

async function isConfirmed(email: string): Promise<boolean> {
  const answer = await fetch(new URL(`/sign-ups/${encodeURIComponent(email)}`, url));
  return ((await answer.json()) as { confirmed: boolean }).confirmed;
}

test("the link in the mail confirms its address only", async () => {
  expect(await post("/sign-ups", { email: "ann@example.org" })).toBe(202);
  expect(await post("/sign-ups", { email: "bob@example.org" })).toBe(202);
  const welcome = await mail.inbox.waitFor("ann@example.org");
  expect(welcome.subject).toBe("Please confirm your address");
  expect(await isConfirmed("ann@example.org")).toBe(false);
  expect((await fetch(welcome.link(/confirm/))).status).toBe(200);
  expect(await isConfirmed("ann@example.org")).toBe(true);
  expect(await isConfirmed("bob@example.org")).toBe(false);
});

test("the code in the mail confirms the address, and a wrong one does not", async () => {
  const email = "carol+shop@example.org";
  await post("/sign-ups", { email });
  const code = (await mail.inbox.waitFor(email)).code();
  const wrong = code === "000000" ? "000001" : "000000";
  expect(await post("/confirm", { email, code: wrong })).toBe(403);
  expect(await post("/confirm", { email, code })).toBe(200);
  expect(await isConfirmed(email)).toBe(true);
});

test("a second sign-up sends another mail and revokes the first link", async () => {
  const email = "dave@example.org";
  await post("/sign-ups", { email });
  const first = await mail.inbox.waitFor(email);
  await post("/sign-ups", { email });
  const second = await mail.inbox.waitFor(email, { after: first });
  expect(second.id).not.toBe(first.id);
  expect((await fetch(first.link())).status).toBe(403);
  expect((await fetch(second.link())).status).toBe(200);
});

test("a wait begins before the mail is sent", async () => {
  const email = "erin@example.org";
  const [welcome] = await Promise.all([mail.inbox.waitFor(email), post("/sign-ups", { email })]);
  expect(welcome.html).toContain(welcome.code());
});

test("an invalid address gets no mail, and waiting for it times out", async () => {
  const wrong = "erin@example.org\r\nBcc: all@example.org";
  expect(await post("/sign-ups", { email: wrong })).toBe(400);
  expect(await post("/sign-ups", "nobody")).toBe(400);
  await expect(mail.inbox.waitFor("all@example.org", { timeoutMs: 1 })).rejects.toMatchObject({
    code: "SERVER_WAIT_TIMED_OUT",
  });
});

test("an unreachable mail server confirms no address and crashes nothing", async () => {
  const lonely = signUpServer("smtp://127.0.0.1:1").listen(0, "127.0.0.1");
  await once(lonely, "listening");
  const at = `http://127.0.0.1:${(lonely.address() as AddressInfo).port}/sign-ups`;
  const answer = await fetch(at, { method: "POST", body: '{"email":"fay@example.org"}' });
  expect(answer.status).toBe(503);
  await answer.arrayBuffer();
  lonely.close();
});
