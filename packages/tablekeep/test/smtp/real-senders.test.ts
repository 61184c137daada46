/** Third-party senders: nodemailer, curl, Python's smtplib and swaks. With CI set all of them are required. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { systemClock } from "@tablekeep/core";
import { hashSync } from "bcryptjs";
import { createTransport } from "nodemailer";
import { describe, expect, test } from "vitest";
import { passwordCheck, SignInThrottle } from "../../src/server/auth/password-check.ts";
import { parseUsers } from "../../src/server/auth/secret-files.ts";
import { describeWith } from "../describe-with.ts";
import { certificate } from "./certificate.ts";
import { startSmtp } from "./start-smtp.ts";

const run = promisify(execFile);

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/smtp/${name}`, import.meta.url));
const checkPassword = passwordCheck(
  parseUsers(`anna:${hashSync("right", 4)}\n`, "users"),
  new SignInThrottle(systemClock),
);
const message = ["From: a@b.example", "Subject: dots", "", ".", "..two", ".a", "end", ""].join("\r\n");

describe("nodemailer", () => {
  test("sends to several recipients, with a null sender, in UTF-8, and repeatedly on one connection", async () => {
    const { port, receiver } = await startSmtp();
    const transport = createTransport({ host: "127.0.0.1", port, pool: true, maxConnections: 1 });
    const raw = message;
    const sent = await transport.sendMail({
      envelope: { from: "a@b.example", to: ["c@d.example", "e@f.example"] },
      raw,
    });
    await transport.sendMail({ envelope: { from: "", to: ["c@d.example"] }, raw });
    await transport.sendMail({
      envelope: { from: "jörg@b.example", to: ["ü@d.example"] },
      raw: Buffer.from("ä\r\n"),
    });
    transport.close();
    expect(sent.response).toBe("250 Ok: queued as message-1");
    expect(receiver.arrived.map(({ envelope }) => [envelope.from, envelope.to])).toEqual([
      ["a@b.example", ["c@d.example", "e@f.example"]],
      ["", ["c@d.example"]],
      ["jörg@b.example", ["ü@d.example"]],
    ]);
    expect(receiver.arrived.map(({ raw }) => raw.toString())).toEqual([message, message, "ä\r\n"]);
  });

  test.each(["PLAIN", "LOGIN", "CRAM-MD5"])("authenticates by %s", async (method) => {
    const { port, receiver } = await startSmtp();
    const auth = { user: "anna", pass: "anything" };
    const transport = createTransport({ host: "127.0.0.1", port, auth, authMethod: method });
    await transport.sendMail({ envelope: { from: "a@b", to: ["c@d"] }, raw: message });
    transport.close();
    expect(receiver.arrived[0]?.envelope.user).toBe("anna");
  });

  test.each([
    ["STARTTLS", false],
    ["TLS from the start", true],
  ])("uses %s, and authenticates with the right password only", async (_name, secure) => {
    const { port, receiver } = await startSmtp({ certificate, implicitTls: secure, checkPassword });
    const connection = { host: "localhost", port, secure, requireTLS: true, tls: { ca: certificate.cert } };
    const send = (pass: string) => {
      const transport = createTransport({ ...connection, auth: { user: "anna", pass } });
      return transport.sendMail({ envelope: { from: "a@b", to: ["c@d"] }, raw: message });
    };
    await expect(send("wrong")).rejects.toMatchObject({ responseCode: 535 });
    await send("right");
    expect(receiver.arrived).toMatchObject([{ envelope: { user: "anna" } }]);
  });

  test("receives an error for a message that is too large, before and after it is sent", async () => {
    const { port, receiver } = await startSmtp({ limits: { messageBytes: 1_000 } });
    const transport = createTransport({ host: "127.0.0.1", port });
    const envelope = { from: "a@b", to: ["c@d"] };
    const large = "x\r\n".repeat(1_000);
    await expect(transport.sendMail({ envelope, raw: large })).rejects.toMatchObject({ responseCode: 552 });
    const announced = transport.sendMail({ envelope: { ...envelope, size: 10_000 }, raw: "x" });
    await expect(announced).rejects.toMatchObject({ code: "EMESSAGE", command: "MAIL FROM" });
    expect(receiver.arrived).toHaveLength(0);
  });
});

describeWith("curl", "--version", () => {
  test("sends a file, over STARTTLS too", async () => {
    const { port, receiver } = await startSmtp({ certificate });
    const common = ["--silent", "--show-error", "--max-time", "15", "--mail-from", "a@b.example"];
    const rest = ["--mail-rcpt", "c@d.example", "--upload-file", fixture("dots.eml")];
    await run("curl", [...common, ...rest, `smtp://127.0.0.1:${port}`]);
    const tls = [
      "--ssl-reqd",
      "--cacert",
      fixture("cert.pem"),
      "--user",
      "anna:x",
      `smtp://localhost:${port}`,
    ];
    await run("curl", [...common, ...rest, ...tls]);
    expect(receiver.arrived.map(({ raw }) => raw.toString())).toEqual([message, message]);
    expect(receiver.arrived[1]?.envelope).toMatchObject({
      from: "a@b.example",
      to: ["c@d.example"],
      user: "anna",
    });
  });
});

describeWith("python3", "--version", () => {
  test("smtplib sends, authenticates and uses TLS", async () => {
    const { port, receiver } = await startSmtp({ certificate });
    const { stdout } = await run("python3", [fixture("send.py"), String(port), fixture("cert.pem")]);
    expect(JSON.parse(stdout)).toEqual({
      features: ["8bitmime", "auth", "pipelining", "size", "smtputf8", "starttls"],
      refused: { "": [550, "Invalid syntax in RCPT command"] },
    });
    expect(receiver.arrived.map(({ envelope }) => [envelope.from, envelope.to, envelope.user])).toEqual([
      ["a@b.example", ["c@d.example"], undefined],
      ["a@b.example", ["c@d.example"], "anna"],
    ]);
    expect(receiver.arrived.map(({ raw }) => raw.toString())).toEqual([message, message]);
  });
});

describeWith("swaks", "--version", () => {
  test("sends, pipelined or not, and authenticates by every mechanism that it supports", async () => {
    const { port, receiver } = await startSmtp();
    const server = ["--server", "127.0.0.1", "--port", String(port), "--timeout", "15"];
    const mail = ["--from", "a@b.example", "--to", "c@d.example", "--data", `@${fixture("dots.eml")}`];
    const { stdout } = await run("swaks", [...server, ...mail]);
    expect(stdout).toContain("250 Ok: queued as message-1");
    await run("swaks", [...server, ...mail, "--pipeline"]);
    for (const mechanism of ["PLAIN", "LOGIN"]) {
      await run("swaks", [...server, ...mail, "--auth", mechanism, "--au", "anna", "--ap", "x"]);
    }
    expect(receiver.arrived.map(({ envelope }) => envelope.user)).toEqual([
      undefined,
      undefined,
      "anna",
      "anna",
    ]);
    for (const { raw } of receiver.arrived) expect(raw.toString().trimEnd()).toBe(message.trimEnd());
  });
});
