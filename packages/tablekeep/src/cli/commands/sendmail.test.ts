import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { startMain } from "../../../test/run-main.ts";
import { certificate } from "../../../test/smtp/certificate.ts";
import { startSmtp } from "../../../test/smtp/start-smtp.ts";
import { readMessageToSend } from "../../server/mail/send/address-fields.ts";

const message = [
  'To: "One, A" <one@x.example>, two@x.example',
  "Subject: hello",
  "Cc: group: three@x.example,",
  "\tfour@x.example;",
  "Bcc: five@x.example",
  " , six@x.example",
  "",
  ".",
  "text",
  "",
].join("\n");
const sent = message.replace(/Bcc:.*\n .*\n/, "").replaceAll("\n", "\r\n");

const sendmail = (args: readonly string[], env: Record<string, string> = {}, input = message) =>
  startMain(["sendmail", ...args], env, undefined, input).result;

describe("sendmail", () => {
  test("as PHP calls it: sends to all address fields, removes Bcc, and completes line ends", async () => {
    const { port, receiver } = await startSmtp();
    const address = { MH_SENDMAIL_SMTP_ADDR: `127.0.0.1:${port}` };
    const result = await sendmail(["-t", "-i", "-oi", "-bm", "-F", "A Name", "-fme@x.example"], address);
    expect(result).toEqual({ code: 0, stdout: "", stderr: "" });
    const names = ["one", "two", "three", "four", "five", "six"];
    expect(receiver.arrived[0]?.envelope).toMatchObject({
      from: "me@x.example",
      to: names.map((name) => `${name}@x.example`),
    });
    expect(receiver.arrived[0]?.raw.toString()).toBe(sent);
  });

  test("sends to the recipients of the command line, or else to the To field", async () => {
    const { port, receiver } = await startSmtp({ certificate });
    const server = ["--smtp-addr", `localhost:${port}`];
    const env = { MH_SENDMAIL_FROM: "env@x.example" };
    const named = await sendmail([...server, "-v", "you@x.example", "you@x.example"], env);
    expect(named.stdout).toBe("250 Ok: queued as message-1\n");
    await sendmail(server);
    expect(receiver.arrived.map(({ envelope }) => envelope.to)).toEqual([
      ["you@x.example"],
      ["one@x.example", "two@x.example"],
    ]);
    expect(receiver.arrived[0]?.envelope.from).toBe("env@x.example");
    expect(receiver.arrived[1]?.envelope.from).toMatch(/^.+@.+$/);
  });

  test.each([
    [["--smtp-addr", "nowhere", "a@b"], "[CLI_VALUE_INVALID]"],
    [["--smtp-addr", "127.0.0.1:1", "not an address"], "[CLI_VALUE_INVALID]"],
    [["--smtp-addr", "127.0.0.1:1", "-f", "a\nb@c", "a@b"], "[CLI_VALUE_INVALID]"],
  ])("rejects %j", async (args, reason) => {
    const { code, stderr } = await sendmail(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });

  test("rejects a message without recipients", async () => {
    const { code, stderr } = await sendmail([], {}, "Subject: x\n\nhi\n");
    expect([code, stderr]).toEqual([2, expect.stringContaining("[CLI_ARGUMENT_MISSING]")]);
  });

  test("has different exit codes for an unreachable server and one that rejects the message", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port: closedPort } = closed.address() as { port: number };
    closed.close();
    await once(closed, "close");
    const away = await sendmail([
      "--smtp-addr",
      `127.0.0.1:${closedPort}`,
      "-f",
      "a@b.example",
      "c@d.example",
    ]);
    expect([away.code, away.stderr]).toEqual([7, expect.stringContaining("RELEASE_FAILED")]);
    const { port } = await startSmtp({ limits: { messageBytes: 10 } });
    const large = await sendmail(["--smtp-addr", `127.0.0.1:${port}`, "-f", "a@b.example", "c@d.example"]);
    expect([large.code, large.stderr]).toEqual([2, expect.stringContaining("refused the message with 552")]);
  });
});

test("accepts a message without a body or without headers unchanged", () => {
  expect(readMessageToSend(Buffer.from("To: a@b"))).toMatchObject({
    to: ["a@b"],
    raw: Buffer.from("To: a@b"),
  });
  expect(readMessageToSend(Buffer.from("\n\nTo: a@b"))).toMatchObject({ to: [] });
  expect(readMessageToSend(Buffer.from("BCC: a@b\r\nX: y\r\n\r\nBcc: z\r\n")).raw.toString()).toBe(
    "X: y\r\n\r\nBcc: z\r\n",
  );
});

test("removes every Bcc field, even after a thousand others and in a long header, and no other byte", () => {
  const others = Array.from({ length: 1_200 }, (_, at) => `X-${at}: ${"x".repeat(300)}\n`).join("");
  const { bcc, raw } = readMessageToSend(
    Buffer.from(
      `bcc: one@x.example\nTo: a@b\r\n${others}Bcc : two@x.example,\n\tthree@x.example\n\nBcc: text\n`,
    ),
  );
  expect(bcc).toEqual(["one@x.example", "two@x.example", "three@x.example"]);
  expect(raw.toString()).toBe(`To: a@b\r\n${others}\nBcc: text\n`);
});

test("keeps encoded words in names apart from the syntax of addresses", () => {
  const { to } = readMessageToSend(
    Buffer.from("To: =?utf-8?Q?One=2C_A?= <one@x.example>, two@x.example\n\n"),
  );
  expect(to).toEqual(["one@x.example", "two@x.example"]);
});
