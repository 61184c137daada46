/** Line breaks and NUL in input end no header and no command, from SMTP to the store, the APIs and a relay. */
import { seededRandom } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";
import { rawClient } from "../smtp/smtp-client.ts";
import { openSocket } from "../wire/raw-dynamodb.ts";
import { everyRoute, filled } from "./every-route.ts";
import { readAll } from "./read-socket.ts";

let relay: TestServer;
let server: TestServer;
beforeAll(async () => {
  relay = await startTestServer();
  const { port } = new URL(relay.smtpUrl);
  const target = { name: "relay", host: "127.0.0.1", port: Number(port) };
  server = await startTestServer({ mail: { relays: new Map([["relay", target]]) } });
});
afterAll(async () => {
  await server.stop();
  await relay.stop();
});

const injected = "X-Injected: yes";
const breaks = ["\r\n", "\n", "\r", "\0", "\u0085", "\u2028", "\v", "\f"];

/** Stores a message over SMTP, byte for byte, and returns its id. */
async function store(message: string): Promise<string> {
  const client = await rawClient(server.smtpUrl);
  await client.say("EHLO a\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n", 4);
  const stuffed = message.replace(/(^|\r\n)\./g, "$1..");
  const output = await client.say(Buffer.from(`${stuffed}\r\n.\r\n`, "utf8"));
  client.socket.destroy();
  return /^250 Ok: queued as (\S+)\r\n/.exec(output)?.[1] ?? output;
}

/** The raw head of the response, not parsed by Node. */
async function headOf(method: string, path: string, body = ""): Promise<string> {
  const socket = await openSocket(server.url);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return (await readAll(socket)).split("\r\n\r\n", 1)[0] ?? "";
}

describe("the envelope", () => {
  test.each(breaks)("with %j in an address is rejected, or kept as one address", async (character) => {
    const client = await rawClient(server.smtpUrl);
    await client.say("EHLO a\r\n");
    client.send(Buffer.from(`MAIL FROM:<a${character}RCPT TO:<evil@e.test>@b.test>\r\n`, "latin1"));
    client.send("NOOP\r\nQUIT\r\n");
    const output = await client.rest();
    expect(output).not.toContain("Recipient evil@e.test ok");
    expect(output).toContain("221 ");
  });
});

/** Messages whose names, types and fields try to inject headers. */
const messages = breaks.flatMap((character) => {
  const word = `=?utf-8?B?${Buffer.from(`a${character}${injected}`).toString("base64")}?=`;
  const quoted = `=?utf-8?Q?a${[...new TextEncoder().encode(character)].map((byte) => `=${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("")}${injected.replace(" ", "_")}?=`;
  const percent = encodeURIComponent(`a${character}${injected}.txt`);
  return [
    `Subject: ${word}\r\nFrom: ${quoted} <a@b.test>\r\nTo: ${word} <c@d.test>\r\nMessage-ID: <${word}@x>\r\n\r\nbody`,
    [
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b",
      `Content-Type: text/plain; name="${word}"`,
      `Content-Disposition: attachment; filename*=utf-8''${percent}`,
      `Content-ID: <${word}>`,
      "",
      "one",
      "--b",
      `Content-Type: text/html; charset="${word}"`,
      `Content-Disposition: attachment; filename="${quoted}"`,
      "",
      "two",
      "--b--",
    ].join("\r\n"),
  ];
});

test("no content of a message becomes a header of a response", async () => {
  const routes = await everyRoute();
  const ofMessages = routes.filter(
    ({ method, path }) => method === "GET" && /messages\/:id/.test(path) && /mail|v1/.test(path),
  );
  expect(ofMessages.length).toBeGreaterThan(5);
  for (const message of messages) {
    const id = await store(message);
    expect(id).toMatch(/^[\w@.=-]+$/);
    for (const { path } of ofMessages) {
      for (const part of ["0", "1"]) {
        const head = await headOf("GET", filled(path.replace(":id", id), part));
        expect(head, path).toMatch(/^HTTP\/1\.1 [24]\d\d /);
        expect(
          head.split(/[\r\n]+/).filter((line) => /^x-injected/i.test(line)),
          path,
        ).toEqual([]);
      }
    }
  }
});

test("no content of a path or a query becomes a header of a response", async () => {
  for (const { method, path } of await everyRoute()) {
    for (const character of ["%0d%0a", "%0a", "%0d", "%00", "%E2%80%A8", "%c4%8d%c4%8a"]) {
      const name = `a${character}X-Injected:%20yes`;
      const head = await headOf(method, `${filled(path, name)}?name=${name}&query=${name}&kind=${name}`);
      expect(
        head.split(/[\r\n]+/).filter((line) => /^x-injected/i.test(line)),
        `${method} ${path}`,
      ).toEqual([]);
    }
  }
  // One of the routes starts chaos, which must not affect the tests below.
  await headOf("DELETE", "/api/v3/mail/chaos");
});

test("a released message reaches its one recipient as one message, whatever its content", async () => {
  const random = seededRandom("release");
  const pieces = [
    ".",
    "\r\n.\r\n",
    "\n.\n",
    "\r.\r",
    "\0",
    "MAIL FROM:<x@y.test>",
    "RCPT TO:<evil@e.test>",
    "DATA",
    "QUIT",
    "Bcc: evil@e.test\r\n",
    "\r\n",
    "\n",
    "ä",
    "x".repeat(1200),
  ];
  const count = 40;
  for (let at = 0; at < count; at++) {
    const body = Array.from(
      { length: random.int(1, 12) },
      () => pieces[random.int(0, pieces.length - 1)],
    ).join("");
    const id = await store(`Subject: release ${at}\r\n\r\n${body}`);
    const release = JSON.stringify({ name: "relay", email: `to-${at}@d.test` });
    expect(await headOf("POST", `/api/v1/messages/${id}/release`, release)).toMatch(/^HTTP\/1\.1 200 /);
  }
  const { items, total } = (await (await fetch(new URL("/api/v2/messages?limit=250", relay.url))).json()) as {
    total: number;
    items: { Raw: { To: string[] } }[];
  };
  expect(total).toBe(count);
  const recipients = items.map(({ Raw }) => Raw.To.join()).toSorted();
  expect(recipients).toEqual(Array.from({ length: count }, (_unused, at) => `to-${at}@d.test`).toSorted());
});

test.each(breaks)("a release to an address with %j is rejected", async (character) => {
  const id = await store("Subject: x\r\n\r\nx");
  const release = JSON.stringify({ name: "relay", email: `a@b.test${character}RCPT TO:<evil@e.test>` });
  expect(await headOf("POST", `/api/v1/messages/${id}/release`, release)).toMatch(/^HTTP\/1\.1 [45]\d\d /);
});
