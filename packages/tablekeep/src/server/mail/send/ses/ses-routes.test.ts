import {
  CreateEmailTemplateCommand,
  DeleteEmailIdentityCommand,
  GetAccountCommand,
  SESv2Client,
  SendBulkEmailCommand,
  SendEmailCommand,
  type SendEmailCommandInput,
} from "@aws-sdk/client-sesv2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../../start-server.ts";

const accessKeys = { AKIDEXAMPLE: "secret" };
let server: RunningServer;
let url: string;
let client: SESv2Client;
const clientWith = (secretAccessKey: string) =>
  new SESv2Client({
    endpoint: url,
    region: "eu-central-1",
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey },
    maxAttempts: 1,
  });
beforeAll(async () => {
  const others = { dynamodb: false, smtp: false, mqtt: false };
  server = await startServer({
    ...others,
    memory: true,
    httpPort: 0,
    accessKeys,
    mail: { store: { maxMessageBytes: 500_000 } },
  });
  url = server.listeners[0]?.url ?? "";
  client = clientWith("secret");
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});

const raw = async (id: string | undefined) =>
  (await fetch(new URL(`/api/v3/mail/messages/${id}/raw`, url))).text();
const summary = async (id: string | undefined) =>
  (await (await fetch(new URL(`/api/v3/mail/messages/${id}`, url))).json()) as Record<string, unknown>;
const simple = (change: Partial<SendEmailCommandInput> = {}): SendEmailCommandInput => ({
  FromEmailAddress: "Shop <shop@example.org>",
  Destination: { ToAddresses: ["ben@example.com"] },
  Content: { Simple: { Subject: { Data: "Order" }, Body: { Text: { Data: "Thanks" } } } },
  ...change,
});
const failure = (command: SendEmailCommand | SendBulkEmailCommand): Promise<unknown> =>
  client.send(command as SendEmailCommand).then(
    () => "no error",
    (error: { name: string; $metadata: { httpStatusCode?: number } }) => [
      error.name,
      error.$metadata.httpStatusCode,
    ],
  );

describe("SES version 2, SendEmail", () => {
  test("stores a simple message before it answers with its id", async () => {
    const { MessageId } = await client.send(
      new SendEmailCommand({
        ...simple(),
        Destination: {
          ToAddresses: ["Ben <ben@example.com>"],
          CcAddresses: ["carla@example.com"],
          BccAddresses: ["eve@example.com"],
        },
        ReplyToAddresses: ["reply@example.org"],
        FeedbackForwardingEmailAddress: "bounces@example.org",
        Content: {
          Simple: {
            Subject: { Data: "Grüße", Charset: "UTF-8" },
            Body: { Text: { Data: "Hallo" }, Html: { Data: "<b>Hallo</b>" } },
            Headers: [{ Name: "X-Order", Value: "17" }],
            Attachments: [{ FileName: "a.txt", RawContent: Buffer.from("file"), ContentType: "text/plain" }],
          },
        },
      }),
    );
    expect(await summary(MessageId)).toMatchObject({
      id: MessageId,
      subject: "Grüße",
      html: "<b>Hallo</b>\n",
      envelope: {
        from: "bounces@example.org",
        to: ["ben@example.com", "carla@example.com", "eve@example.com"],
      },
      attachments: [expect.objectContaining({ filename: "a.txt", size: 4 })],
    });
    const bytes = await raw(MessageId);
    expect(bytes).toContain("X-Order: 17\r\n");
    expect(bytes).not.toContain("eve@");
  });

  test("stores a raw message as it is, without Bcc, for the recipients of its fields", async () => {
    const text =
      "From: ann@example.org\r\nTo: ben@example.com\r\nBcc: eve@example.com\r\nSubject: raw\r\n\r\n\x00body\r\n";
    const { MessageId } = await client.send(
      new SendEmailCommand({ Content: { Raw: { Data: Buffer.from(text) } } }),
    );
    expect(await raw(MessageId)).toBe(text.replace("Bcc: eve@example.com\r\n", ""));
    expect(await summary(MessageId)).toMatchObject({
      envelope: { from: "ann@example.org", to: ["ben@example.com", "eve@example.com"] },
    });
  });

  test("renders an inline template", async () => {
    const Template = {
      TemplateContent: { Subject: "Hi {{user.name}}", Html: "<p>{{ code }}</p>" },
      TemplateData: JSON.stringify({ user: { name: "Ben" }, code: 123 }),
    };
    const { MessageId } = await client.send(new SendEmailCommand(simple({ Content: { Template } })));
    expect(await summary(MessageId)).toMatchObject({ subject: "Hi Ben", html: "<p>123</p>\n" });
  });

  test.each<[string, Partial<SendEmailCommandInput>, [string, number]]>([
    [
      "a template by name",
      { Content: { Template: { TemplateName: "Welcome" } } },
      ["NotFoundException", 404],
    ],
    ["no recipient", { Destination: {} }, ["BadRequestException", 400]],
    ["an invalid address", { Destination: { ToAddresses: ["ben"] } }, ["BadRequestException", 400]],
    ["no sender", { FromEmailAddress: undefined }, ["BadRequestException", 400]],
    ["no content", { Content: {} }, ["BadRequestException", 400]],
    [
      "51 recipients",
      { Destination: { ToAddresses: Array.from({ length: 51 }, (_, at) => `r${at}@example.com`) } },
      ["BadRequestException", 400],
    ],
    [
      "a large message",
      { Content: { Raw: { Data: Buffer.alloc(520_000, "From: a@b.cd\r\nTo: a@b.cd\r\n\r\n") } } },
      ["BadRequestException", 400],
    ],
    [
      "a variable without data",
      { Content: { Template: { TemplateContent: { Subject: "{{a}}", Text: "x" }, TemplateData: "{}" } } },
      ["BadRequestException", 400],
    ],
  ])("answers %s with AWS's error", async (_, change, expected) => {
    expect(await failure(new SendEmailCommand(simple(change)))).toEqual(expected);
  });

  test("rejects a wrong signature", async () => {
    const other = clientWith("wrong");
    await expect(other.send(new SendEmailCommand(simple()))).rejects.toMatchObject({
      name: "InvalidSignatureException",
      $metadata: { httpStatusCode: 403 },
    });
    other.destroy();
  });
});

test("SES version 2 answers other operations with the name of an error, after it has checked the signature", async () => {
  const unknown = { name: "UnknownOperationException", $metadata: { httpStatusCode: 404 } };
  const template = { TemplateName: "t", TemplateContent: { Subject: "s" } };
  await expect(client.send(new GetAccountCommand())).rejects.toMatchObject(unknown);
  await expect(client.send(new CreateEmailTemplateCommand(template))).rejects.toMatchObject(unknown);
  await expect(
    client.send(new DeleteEmailIdentityCommand({ EmailIdentity: "a@example.org" })),
  ).rejects.toMatchObject(unknown);
  const other = clientWith("wrong");
  await expect(other.send(new GetAccountCommand())).rejects.toMatchObject({
    name: "InvalidSignatureException",
  });
  other.destroy();
});

test("SES version 2, SendBulkEmail has a result for each entry", async () => {
  const entry = (to: string, name?: string) => ({
    Destination: { ToAddresses: [to] },
    ...(name !== undefined && {
      ReplacementEmailContent: {
        ReplacementTemplate: { ReplacementTemplateData: JSON.stringify({ name }) },
      },
    }),
  });
  const Template = {
    TemplateContent: { Subject: "Hi {{name}}", Text: "{{shop}}" },
    TemplateData: '{"shop":"Tea & Co","name":"you"}',
  };
  const { BulkEmailEntryResults: results = [] } = await client.send(
    new SendBulkEmailCommand({
      FromEmailAddress: "shop@example.org",
      DefaultContent: { Template },
      BulkEmailEntries: [entry("ben@example.com", "Ben"), entry("nobody"), entry("eve@example.com")],
    }),
  );
  expect(results.map(({ Status }) => Status)).toEqual(["SUCCESS", "INVALID_PARAMETER", "SUCCESS"]);
  expect(await summary(results[0]?.MessageId)).toMatchObject({ subject: "Hi Ben", text: "Tea & Co\n" });
  expect(await summary(results[2]?.MessageId)).toMatchObject({ subject: "Hi you" });
  const stored = await client.send(
    new SendBulkEmailCommand({
      FromEmailAddress: "shop@example.org",
      DefaultContent: { Template: { TemplateName: "Welcome" } },
      BulkEmailEntries: [entry("ben@example.com")],
    }),
  );
  expect(stored.BulkEmailEntryResults).toMatchObject([{ Status: "TEMPLATE_NOT_FOUND" }]);
});

describe("SES version 1", () => {
  let open: RunningServer;
  beforeAll(async () => {
    open = await startServer({ memory: true, httpPort: 0, dynamodb: false, smtp: false, mqtt: false });
  });
  afterAll(() => open.stop());
  const query = async (fields: Record<string, string>) => {
    const answer = await fetch(open.listeners[0]?.url ?? "", {
      method: "POST",
      body: new URLSearchParams(fields),
    });
    return { status: answer.status, type: answer.headers.get("content-type"), xml: await answer.text() };
  };
  const list = async () =>
    (await (await fetch(new URL("/api/v3/mail/messages", open.listeners[0]?.url))).json()) as {
      messages: { id: string; subject: string }[];
    };

  test("SendEmail and SendRawEmail answer with the id in XML", async () => {
    const sent = await query({
      Action: "SendEmail",
      Source: "ann@example.org",
      "Destination.ToAddresses.member.1": "ben@example.com",
      "Message.Subject.Data": "first",
      "Message.Body.Text.Data": "text",
    });
    const data = Buffer.from("From: a@example.org\r\nSubject: second\r\n\r\n").toString("base64");
    const rawSent = await query({
      Action: "SendRawEmail",
      "RawMessage.Data": data,
      "Destinations.member.1": "ben@example.com",
    });
    const { messages } = await list();
    expect(messages.map(({ subject }) => subject)).toEqual(["second", "first"]);
    expect([sent.status, rawSent.status, sent.type]).toEqual([200, 200, "text/xml"]);
    expect(sent.xml).toContain(
      `<SendEmailResult><MessageId>${messages[1]?.id}</MessageId></SendEmailResult>`,
    );
    expect(rawSent.xml).toContain(`<MessageId>${messages[0]?.id}</MessageId>`);
  });

  test.each([
    [{ Action: "GetSendQuota", Version: "2010-12-01" }, "InvalidAction"],
    [{}, "MissingAction"],
    [{ Action: "SendEmail", Source: "a@example.org" }, "InvalidParameterValue"],
    [{ Action: "constructor" }, "InvalidAction"],
  ])("answers %j with an error in XML", async (fields, code) => {
    const { status, xml } = await query(fields);
    expect(status).toBe(400);
    expect(xml).toContain(`<Error><Type>Sender</Type><Code>${code}</Code>`);
  });
});
