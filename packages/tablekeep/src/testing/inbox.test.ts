import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inboxAt } from "./inbox.ts";
import type { ReceivedMail } from "./received-mail.ts";
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
    await expect(mail.attachment("c")).rejects.toMatchObject({
      code: "SERVER_MAIL_LACKS",
      details: { wanted: 'attachment "c"', found: ["a.txt", "b.bin"] },
    });
  });

  test("returns the newest mail whose subject matches an expression, as for a part of it", async () => {
    const to = "newest@example.org";
    for (const subject of ["Code 1", "Code 2", "other"]) await send(to, [subject]);
    const newest = async (subject: string | RegExp) =>
      (await server.inbox.waitFor({ to, subject }, { timeoutMs })).subject;
    expect([await newest("code"), await newest(/^code/i), await newest(/o/i)]).toEqual([
      "Code 2",
      "Code 2",
      "other",
    ]);
    const later = server.inbox.waitFor({ to, subject: /^late/ }, { timeoutMs });
    await send(to, ["Code 3"]);
    await send(to, ["late"]);
    expect((await later).subject).toBe("late");
  });

  test.each(["to", "from", "subject"])(
    "rejects an empty %s, instead of returning any mail",
    async (option) => {
      await send("any@example.org", ["any"]);
      await expect(server.inbox.waitFor({ [option]: "" }, { timeoutMs })).rejects.toMatchObject({
        code: "SERVER_OPTION_INVALID",
        details: { option },
      });
    },
  );

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

describe("links and codes of a mail", () => {
  async function received(text: string, html: string): Promise<ReceivedMail> {
    const after = await server.inbox.position();
    const to = "parts@example.org";
    await createTransport(server.smtpUrl).sendMail({ from: "a@b.example", to, subject: "parts", text, html });
    return server.inbox.waitFor(to, { after, timeoutMs });
  }

  test("are found each time, also by an expression with state", async () => {
    const mail = await received("123456 at https://shop.example/verify?t=1", "");
    for (const flags of ["", "g", "y"]) {
      const [link, code] = [new RegExp("https", flags), new RegExp("\\d{6}", flags)];
      for (let n = 0; n < 3; n++)
        expect([mail.link(link), mail.code(code)]).toEqual(["https://shop.example/verify?t=1", "123456"]);
    }
  });

  test("are found in the HTML if the text lacks them", async () => {
    const mail = await received("Please view the HTML.", "<p>Your code is <b>123456</b></p>");
    expect(mail.code()).toBe("123456");
  });

  test("fail with what was wanted, and what the mail has", async () => {
    const mail = await received("Code 1234: https://shop.example/a", "");
    const errorOf = (call: () => unknown) => {
      try {
        return call();
      } catch (error) {
        return error;
      }
    };
    expect(errorOf(() => mail.link(/verify/))).toMatchObject({
      code: "SERVER_MAIL_LACKS",
      message: 'the mail "parts" has no link /verify/; it has:\n  https://shop.example/a',
      details: { wanted: "link /verify/", subject: "parts", found: ["https://shop.example/a"] },
    });
    expect(errorOf(() => mail.code())).toMatchObject({
      details: { wanted: "code /\\b\\d{6}\\b/", found: ["Code 1234:"] },
    });
    await expect(mail.attachment()).rejects.toMatchObject({ details: { wanted: "attachment", found: [] } });
  });
});

describe("a server that restarts during a wait", () => {
  /** Ends the first wait in a way, then listens again at the same port, and responds. */
  async function waitThrough(end: "reset" | "half" | "unavailable") {
    let calls = 0;
    const listen = async (port: number) => {
      const listener = createServer((request, response) => {
        if (!request.url?.includes("/wait")) return void response.end('{"envelope":{"to":[]},"subject":"x"}');
        if (calls++ > 0) return void response.end('{"message":{"id":"1","cursor":"1","subject":"x"}}');
        if (end === "unavailable") response.writeHead(503).end("{}");
        else if (end === "half") response.writeHead(200, { "content-length": "99" }).write('{"mess');
        setImmediate(() => {
          listener.close(() => void listen(at));
          if (end !== "unavailable") request.socket.destroy();
        });
      }).listen(port, "127.0.0.1");
      await once(listener, "listening");
      listening = listener;
      return (listener.address() as AddressInfo).port;
    };
    let listening: ReturnType<typeof createServer> | undefined;
    const at = await listen(0);
    try {
      return await inboxAt(`http://127.0.0.1:${at}/`).waitFor("a@b.example", { timeoutMs });
    } finally {
      listening?.closeAllConnections();
      listening?.close();
    }
  }

  test.each(["reset", "half", "unavailable"] as const)("continues when it is back: %s", async (end) => {
    expect((await waitThrough(end)).subject).toBe("x");
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
