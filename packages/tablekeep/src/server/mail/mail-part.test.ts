import { openEngine } from "@tablekeep/engine";
import { openMail } from "@tablekeep/mail";
import { createTransport } from "nodemailer";
import { expect, test } from "vitest";
import { rawClient } from "../../../test/smtp/smtp-client.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { type RunningServer, startServer } from "../start-server.ts";

const smtpUrl = (server: RunningServer) => server.listeners.find(({ name }) => name === "smtp")?.url ?? "";
const ports = { httpPort: 0, dynamodb: false, smtpPort: 0, mqtt: false };

test("a message that SMTP acknowledged is stored under the reported id, byte for byte, even after a restart", async () => {
  const dataFolder = tempFolder();
  const raw = Buffer.concat([
    Buffer.from("Subject: x\r\n\r\n\xff\0\n.\r\n", "latin1"),
    Buffer.alloc(1_500_000, "abc\r\n"),
  ]);
  let id = "";
  {
    await using server = await startServer({ ...ports, dataFolder });
    const client = await rawClient(smtpUrl(server));
    await client.say("EHLO me\r\nMAIL FROM:<>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n", 4);
    client.send(raw);
    const answer = await client.say(".\r\n");
    id = /^250 Ok: queued as (\S+)\r\n$/.exec(answer)?.[1] ?? "";
    client.socket.destroy();
  }
  await using engine = await openEngine({ storage: { kind: "folder", path: dataFolder } });
  const mail = await openMail(engine);
  const [summary] = (await mail.list()).items;
  expect(summary).toMatchObject({
    id,
    size: raw.length,
    envelope: { from: "", to: ["c@d.example"], helo: "me" },
  });
  expect(Buffer.compare((await mail.load(id))?.raw ?? Buffer.alloc(0), raw)).toBe(0);
  await mail.close();
});

test("rejects a message that is too large for the store, and accepts the next one", async () => {
  await using server = await startServer({
    ...ports,
    dataFolder: tempFolder(),
    mail: { store: { maxMessageBytes: 1_000 } },
  });
  const { hostname, port } = new URL(smtpUrl(server));
  const transport = createTransport({ host: hostname, port: Number(port) });
  const envelope = { from: "a@b.example", to: ["c@d.example"] };
  await expect(transport.sendMail({ envelope, raw: "x\r\n".repeat(500) })).rejects.toMatchObject({
    responseCode: 552,
  });
  expect((await transport.sendMail({ envelope, raw: "x\r\n" })).response).toMatch(/^250 Ok: queued as /);
});

test("SMTP announces the maximum size of the layout", async () => {
  await using server = await startServer({
    ...ports,
    memory: true,
    mail: { store: { layout: "mhdynamo", table: "mailhog" } },
  });
  const client = await rawClient(smtpUrl(server));
  expect(await client.say("EHLO me\r\n")).toContain("250-SIZE 409600\r\n");
  client.socket.destroy();
});

test("does not listen for SMTP without smtp, and opens no store without mail", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await using server = await startServer({
    ...ports,
    port: engine,
    journals: [],
    mail: false,
    shadows: false,
  });
  expect(smtpUrl(server)).toBe("");
  expect((await engine.listTables({})).TableNames).toEqual([]);
  await using other = await startServer({ ...ports, dataFolder: tempFolder(), smtp: false });
  expect(smtpUrl(other)).toBe("");
});
