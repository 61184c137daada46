import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../start-server.ts";

let server: RunningServer;
let url: string;
beforeAll(async () => {
  server = await startServer({
    memory: true,
    httpPort: 0,
    dynamodb: false,
    smtp: false,
    mqtt: false,
    mail: { store: { maxMessageBytes: 200_000 } },
  });
  url = server.listeners[0]?.url ?? "";
});
afterAll(() => server.stop());

const post = (body: unknown) =>
  fetch(new URL("/api/v3/mail/send", url), { method: "POST", body: JSON.stringify(body) });
const read = async (path: string) => fetch(new URL(`/api/v3/mail/messages/${path}`, url));

describe("POST /api/v3/mail/send", () => {
  test("stores a message with text, HTML, headers and files", async () => {
    const file = Buffer.from([0, 1, 2, 0xff, 0x0d, 0x0a]);
    const answer = await post({
      from: "Ännchen <ann@example.org>",
      to: ["Ben <ben@example.com>", "carla@example.com"],
      cc: "dora@example.com",
      bcc: "eve@example.com",
      replyTo: "reply@example.org",
      subject: "Grüße",
      text: "Hallo",
      html: '<p>Hallo <img src="cid:logo"></p>',
      headers: { "X-Order": "17" },
      attachments: [
        { filename: "bytes.bin", content: file.toString("base64") },
        { filename: "logo.png", content: "iVBO", contentType: "image/png", contentId: "logo", inline: true },
      ],
    });
    expect(answer.status).toBe(201);
    const { id, envelope, subject } = (await answer.json()) as Record<string, string>;
    expect({ envelope, subject }).toMatchObject({
      subject: "Grüße",
      envelope: {
        from: "ann@example.org",
        to: ["ben@example.com", "carla@example.com", "dora@example.com", "eve@example.com"],
      },
    });
    const shown = (await (await read(`${id}`)).json()) as Record<string, unknown>;
    expect(shown).toMatchObject({
      text: expect.stringContaining("Hallo"),
      addresses: { from: [{ name: "Ännchen", address: "ann@example.org" }] },
      attachments: [
        expect.objectContaining({ filename: "logo.png", contentId: expect.stringContaining("logo") }),
        expect.objectContaining({ filename: "bytes.bin" }),
      ],
    });
    expect(Buffer.from(await (await read(`${id}/attachments/1`)).arrayBuffer())).toEqual(file);
    const raw = await (await read(`${id}/raw`)).text();
    expect(raw).toContain("X-Order: 17\r\n");
    expect(raw).not.toContain("eve@example.com");
    expect(raw.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  });

  test("uses returnPath as the sender of the envelope", async () => {
    const answer = await post({
      from: "a@example.org",
      to: "b@example.org",
      returnPath: "bounces@example.org",
    });
    expect(await answer.json()).toMatchObject({ envelope: { from: "bounces@example.org" } });
  });

  test.each([
    ["no sender", { to: "a@example.org" }],
    ["no recipient", { from: "a@example.org" }],
    ["a sender without a domain", { from: "ann", to: "a@example.org" }],
    ["a line break in an address", { from: "a@example.org", to: "a@example.org\r\nDATA" }],
    ["an unknown field", { from: "a@example.org", to: "a@example.org", recipients: [] }],
    [
      "a line break in a header",
      { from: "a@example.org", to: "a@example.org", headers: { X: "1\r\nBcc: x" } },
    ],
    [
      "a header that the server sets",
      { from: "a@example.org", to: "a@example.org", headers: { "Content-Type": "x" } },
    ],
    [
      "a path instead of bytes",
      { from: "a@example.org", to: "a@example.org", attachments: [{ path: "/etc/passwd" }] },
    ],
    [
      "a file that is not base64",
      { from: "a@example.org", to: "a@example.org", attachments: [{ content: "*" }] },
    ],
    ["an array", []],
  ])("rejects %s", async (_, body) => {
    expect((await post(body)).status).toBe(400);
  });

  test("rejects a message that is larger than the store accepts", async () => {
    const answer = await post({ from: "a@example.org", to: "b@example.org", text: "x\n".repeat(110_000) });
    expect([answer.status, await answer.json()]).toEqual([
      413,
      expect.objectContaining({ code: "MAIL_MESSAGE_TOO_LARGE" }),
    ]);
  });
});
