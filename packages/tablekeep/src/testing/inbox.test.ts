import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inboxAt, type ReceivedMail } from "./inbox.ts";
import { startTestServer, type TestServer } from "./start-test-server.ts";
import { createInbox } from "./test-inbox.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ mqtt: false, dynamodb: false, shadows: false, journals: [] });
});
afterAll(() => server.stop());

/** Generous, because this tests the order and not the speed of the machine. */
const timeoutMs = 50_000;

async function send(to: string, subjects: readonly string[]): Promise<void> {
  const transport = createTransport(`${server.smtpUrl}?pool=true&maxConnections=10`);
  const sent = subjects.map((subject) =>
    transport.sendMail({ from: "a@b.example", to, subject, text: subject }),
  );
  await Promise.all(sent);
  transport.close();
}

describe("waiting for the next mail", () => {
  test("in a chain sees all of 10 that were sent at the same time", async () => {
    const to = "chain@example.org";
    await send(to, ["first"]);
    let last = await server.inbox.waitFor(to, { timeoutMs });
    expect(last.subject).toBe("first");
    const subjects = Array.from({ length: 10 }, (_, n) => `no ${n}`);
    const sending = send(to, subjects);
    const seen: string[] = [];
    for (let n = 0; n < 10; n++) {
      last = await server.inbox.waitFor(to, { after: last, timeoutMs });
      seen.push(last.subject);
    }
    expect(seen.toSorted()).toEqual(subjects);
    await sending;
  });

  test("begins with the oldest after null, and without after with the newest", async () => {
    const to = "all@example.org";
    for (const subject of ["one", "two", "three"]) await send(to, [subject]);
    expect((await server.inbox.waitFor(to, { timeoutMs })).subject).toBe("three");
    const seen: string[] = [];
    let last: ReceivedMail | null = null;
    while (seen.length < 3) {
      last = await server.inbox.waitFor(to, { after: last, timeoutMs });
      seen.push(last.subject);
    }
    expect(seen).toEqual(["one", "two", "three"]);
    const more = server.inbox.waitFor(to, { after: last, timeoutMs: 1 });
    await expect(more).rejects.toMatchObject({ code: "SERVER_WAIT_TIMED_OUT", details: { timeoutMs: 1 } });
  });

  test("rejects a condition that does not exist, instead of returning any mail", async () => {
    await send("any@example.org", ["any"]);
    const misspelled = { too: "nobody@example.org" } as object as { to: string };
    await expect(server.inbox.waitFor(misspelled, { timeoutMs })).rejects.toMatchObject({
      code: "SERVER_OPTION_INVALID",
      details: { option: "too" },
    });
  });

  test("finds mail by sender and subject after a position, also by an expression", async () => {
    const to = "wanted@example.org";
    await send(to, ["Code 111111"]);
    const after = await server.inbox.position();
    await send(to, ["other"]);
    await send(to, ["Code 222222"]);
    const wanted = { to, from: "A@b.example", subject: "code" };
    const mail = await server.inbox.waitFor(wanted, { after, timeoutMs });
    expect([mail.subject, mail.code()]).toEqual(["Code 222222", "222222"]);
    const expression = { to, subject: /^Code \d/ };
    expect((await server.inbox.waitFor(expression, { after, timeoutMs })).subject).toBe("Code 222222");
    expect((await server.inbox.waitFor(expression, { after: null, timeoutMs })).subject).toBe("Code 111111");
    const none = server.inbox.waitFor({ to, subject: /absent/ }, { timeoutMs: 1 });
    await expect(none).rejects.toThrow("no mail to wanted@example.org with the subject /absent/ arrived");
  });

  test("reads attachments", async () => {
    const to = "files@example.org";
    const transport = createTransport(server.smtpUrl);
    const attachments = [
      { filename: "a.txt", content: "first" },
      { filename: "b.bin", content: Buffer.from([0, 255]) },
    ];
    await transport.sendMail({ from: "a@b.example", to, subject: "files", text: "x", attachments });
    const mail = await server.inbox.waitFor(to, { timeoutMs });
    const file = await mail.attachment("b.bin");
    expect([file.filename, file.type, [...file.content]]).toEqual([
      "b.bin",
      "application/octet-stream",
      [0, 255],
    ]);
    expect(Buffer.from((await mail.attachment(/\.txt$/)).content).toString()).toBe("first");
    await expect(mail.attachment("c")).rejects.toThrow("there is no attachment c");
  });

  test("times out, with its own message, before vitest ends the test", async () => {
    let asked = "";
    const silent = createServer((request, response) => {
      asked = new URL(request.url ?? "", "http://x").searchParams.get("timeoutMs") ?? "";
      response.end('{"message":null}');
    }).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const wait = inboxAt(`http://127.0.0.1:${port}/`).waitFor("a@b.example");
    await expect(wait).rejects.toMatchObject({ code: "SERVER_WAIT_TIMED_OUT" });
    expect(Number(asked)).toBeLessThan(5000);
    silent.close();
  });
});

describe("a server that cannot be used", () => {
  test("fails with a code, the address and the reason if nothing listens there", async () => {
    const listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
    listener.close();
    await once(listener, "close");
    for (const call of [() => createInbox({ url }), () => inboxAt(url).waitFor("a@b.example")]) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: "SERVER_CALL_FAILED",
        details: { url: expect.stringContaining(url) },
      });
      expect(error).toMatchObject({ details: { reason: expect.stringContaining("ECONNREFUSED") } });
    }
  });

  test("fails with the status of its response", async () => {
    const call = inboxAt(server.url, { inbox: "not a name!" }).position();
    await expect(call).rejects.toMatchObject({
      code: "SERVER_CALL_FAILED",
      details: { status: expect.toSatisfy((status: number) => status >= 400 && status < 500) },
    });
  });

  test.each(["127.0.0.1:8025", "smtp://127.0.0.1:1025", ""])("rejects the address %j", async (url) => {
    const invalid = { code: "SERVER_OPTION_INVALID", details: { option: "url" } };
    expect(() => inboxAt(url)).toThrow(expect.objectContaining({ code: invalid.code }));
    await expect(createInbox({ url })).rejects.toMatchObject(invalid);
  });

  test("rejects with the reason of the signal if that aborts a wait", async () => {
    const ending = new AbortController();
    const wait = server.inbox.waitFor("never@example.org", { timeoutMs, signal: ending.signal });
    const reason = new Error("stop waiting");
    ending.abort(reason);
    await expect(wait).rejects.toBe(reason);
  });
});

describe("an inbox for one test", () => {
  test("has only the mail of its own sender, and leaves no inbox behind", async () => {
    const list = async () =>
      ((await (await fetch(new URL("api/v3/inboxes", server.url))).json()) as { inboxes: object[] }).inboxes;
    {
      await using one = await server.newInbox();
      await using two = await server.newInbox();
      expect(one.name).not.toBe(two.name);
      for (const inbox of [one, two])
        await createTransport(inbox.smtpUrl).sendMail({
          from: "a@b.example",
          to: "same@example.org",
          subject: inbox.name,
          text: "x",
        });
      for (const inbox of [one, two])
        expect((await inbox.waitFor("same@example.org", { timeoutMs })).subject).toBe(inbox.name);
      const elsewhere = server.inbox.waitFor("same@example.org", { timeoutMs: 1 });
      await expect(elsewhere).rejects.toMatchObject({ code: "SERVER_WAIT_TIMED_OUT" });
      expect(await list()).toHaveLength(2);
    }
    expect(await list()).toEqual([]);
  });
});
