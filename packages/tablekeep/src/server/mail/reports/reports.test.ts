import { createTransport } from "nodemailer";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawClient } from "../../../../test/smtp/smtp-client.ts";
import { type RunningServer, startServer } from "../../start-server.ts";

let server: RunningServer;
const url = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
beforeAll(async () => {
  server = await startServer({
    memory: true,
    httpPort: 0,
    smtpPort: 0,
    dynamodb: false,
    mqtt: false,
    mail: {
      recipientRules: [
        { to: "full@*", outcome: { kind: "bounce", status: "4.2.2", text: "smtp; 452 4.2.2 full" } },
        { to: "gone@*", outcome: { kind: "reject", code: 551, text: "5.1.6 moved" } },
      ],
    },
  });
});
afterAll(() => server.stop());

interface Summary {
  readonly id: string;
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
}

/** Sends a message over SMTP, and returns the reports that its sender has then. */
async function reportsAfter(from: string, to: string | readonly string[], subject = "hello") {
  const { hostname, port } = new URL(url("smtp"));
  const transport = createTransport({ host: hostname, port: Number(port), name: "client.example" });
  await transport.sendMail({
    envelope: { from, to: [to].flat() },
    from: "x@example.org",
    to: "y@example.org",
    subject,
    text: "body",
  });
  transport.close();
  const list = await fetch(new URL(`/api/v3/mail/messages?kind=recipient&query=${from}`, url("http")));
  const { messages } = (await list.json()) as { messages: Summary[] };
  return Promise.all(
    messages.map(async ({ id, envelope }) => {
      const raw = await (await fetch(new URL(`/api/v3/mail/messages/${id}/raw`, url("http")))).text();
      return { envelope, raw, parsed: await PostalMime.parse(raw, { forceRfc822Attachments: true }) };
    }),
  );
}

const fieldsOf = (raw: string, type: string) => {
  const [, part = ""] = raw.split(`Content-Type: message/${type}\r\n\r\n`);
  return part.split("\r\n--")[0] ?? "";
};

describe("a message to", () => {
  test("the simulator's bounce address bounces before it is acknowledged", async () => {
    const [report, ...others] = await reportsAfter(
      "s1@example.org",
      ["bounce@simulator.amazonses.com", "ok@example.org"],
      "Grüße",
    );
    expect(others).toEqual([]);
    expect(report?.envelope).toMatchObject({ from: "", to: ["s1@example.org"] });
    const { raw = "", parsed } = report ?? {};
    expect(raw).toMatch(/^Content-Type: multipart\/report; report-type=delivery-status;\r\n boundary=/m);
    expect(fieldsOf(raw, "delivery-status")).toMatch(
      /^Reporting-MTA: dns; mailhog\.example\r\nReceived-From-MTA: dns; client\.example\r\nArrival-Date: .+\r\n\r\nFinal-Recipient: rfc822; bounce@simulator\.amazonses\.com\r\nAction: failed\r\nStatus: 5\.1\.1\r\nDiagnostic-Code: smtp; 550 5\.1\.1 user unknown\r\n$/,
    );
    expect(raw.split("text/rfc822-headers")[1]).toContain("Subject: =?UTF-8?");
    expect(raw.split("text/rfc822-headers")[1]).not.toContain("\r\nbody\r\n");
    expect(parsed).toMatchObject({
      subject: "Undelivered Mail Returned to Sender",
      text: expect.stringContaining("<bounce@simulator.amazonses.com>"),
      inReplyTo: expect.stringMatching(/^<.+@.+>$/),
    });
  });

  test("an address with a rule bounces with its status", async () => {
    const [report] = await reportsAfter("s2@example.org", "full@example.org");
    expect(fieldsOf(report?.raw ?? "", "delivery-status")).toContain(
      "Action: delayed\r\nStatus: 4.2.2\r\nDiagnostic-Code: smtp; 452 4.2.2 full\r\n",
    );
  });

  test("the simulator's complaint address is complained about", async () => {
    const [report, ...others] = await reportsAfter("s3@example.org", "complaint@simulator.amazonses.com");
    expect(others).toEqual([]);
    expect(fieldsOf(report?.raw ?? "", "feedback-report")).toMatch(
      /^Feedback-Type: abuse\r\nUser-Agent: .+\r\nVersion: 1\r\nOriginal-Mail-From: <s3@example\.org>\r\nOriginal-Rcpt-To: <complaint@simulator\.amazonses\.com>\r\n/,
    );
  });

  test("an ordinary address is not reported on", async () => {
    expect(await reportsAfter("s4@example.org", "success@simulator.amazonses.com")).toEqual([]);
  });
});

test("a bounce is never reported on, even to an address that bounces", async () => {
  const count = async () =>
    ((await (await fetch(new URL("/api/v3/mail/count", url("http")))).json()) as { count: number }).count;
  const before = await count();
  const client = await rawClient(url("smtp"));
  await client.say("EHLO me\r\nMAIL FROM:<>\r\nRCPT TO:<bounce@simulator.amazonses.com>\r\nDATA\r\n", 4);
  await client.say("Subject: x\r\n\r\n.\r\n");
  expect(await count()).toBe(before + 1);
  client.socket.destroy();
});

test("a rule rejects a recipient, and the message goes to the others", async () => {
  const client = await rawClient(url("smtp"));
  await client.say("EHLO me\r\nMAIL FROM:<a@example.org>\r\n", 2);
  expect(await client.say("RCPT TO:<gone@example.org>\r\n")).toBe("551 5.1.6 moved\r\n");
  expect(await client.say("RCPT TO:<here@example.org>\r\n")).toMatch(/^250 /);
  client.socket.destroy();
  const answer = await fetch(new URL("/api/v3/mail/send", url("http")), {
    method: "POST",
    body: JSON.stringify({ from: "a@example.org", to: "gone@example.org" }),
  });
  expect(answer.status).toBe(400);
});

test("mail over HTTP bounces as well", async () => {
  await fetch(new URL("/api/v3/mail/send", url("http")), {
    method: "POST",
    body: JSON.stringify({ from: "s5@example.org", to: "bounce@simulator.amazonses.com", text: "x" }),
  });
  const list = await fetch(new URL("/api/v3/mail/messages?kind=recipient&query=s5@example.org", url("http")));
  expect(await list.json()).toMatchObject({ messages: [{ subject: "Undelivered Mail Returned to Sender" }] });
});
