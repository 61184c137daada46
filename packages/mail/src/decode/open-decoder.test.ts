import { afterAll, describe, expect, test } from "vitest";
import { openDecoder } from "./open-decoder.ts";

const decoder = openDecoder({ timeoutMs: 20_000 });
afterAll(() => decoder.close());

const multipart = Buffer.from(
  [
    "From: =?utf-8?Q?J=C3=BCrgen?= <j@x.org>",
    'To: "Bob, B." <bob@y.org>, carol@y.org',
    "Received: one",
    "Received: two",
    "Subject: =?iso-8859-1?Q?caf=E9?=",
    "Content-Type: multipart/related; boundary=B",
    "",
    "--B",
    "Content-Type: text/html; charset=iso-8859-1",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "<p>na=EFve <img src=3D'cid:pic'></p>",
    "--B",
    "Content-Type: image/png",
    "Content-ID: <pic>",
    "Content-Disposition: inline; filename=p.png",
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from([1, 2, 3]).toString("base64"),
    "--B--",
    "",
  ].join("\r\n"),
);

describe("a decoder", () => {
  test("returns text, HTML, addresses, all headers and attachments, decoded", async () => {
    const message = await decoder.decode(multipart);
    expect(message).toMatchObject({
      subject: "café",
      from: [{ name: "Jürgen", address: "j@x.org" }],
      to: [
        { name: "Bob, B.", address: "bob@y.org" },
        { name: "", address: "carol@y.org" },
      ],
      attachments: [{ index: 0, filename: "p.png", type: "image/png", inline: true, contentId: "pic" }],
    });
    expect(message.html).toContain("naïve");
    expect(message.headers.filter(({ name }) => name === "Received")).toHaveLength(2);
    expect(message.attachments[0]?.content).toEqual(Uint8Array.of(1, 2, 3));
  });

  test.each(["windows-1252", "iso-8859-1", "us-ascii", "CP1252"])(
    "reads the bytes 0x80 to 0x9f of %s as all mail readers do",
    async (charset) => {
      const head = `Subject: =?${charset}?Q?=93caf=E9=94?=\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`;
      const body = Buffer.from([0x80, 0x20, 0x93, 0x61, 0xe9, 0x94, 0x20, 0x85, 0x9f]);
      const { subject, text } = await decoder.decode(Buffer.concat([Buffer.from(head), body]));
      expect(subject).toBe("“café”");
      expect(text.trim()).toBe("€ “aé” …Ÿ");
    },
  );

  test.each([
    ["Just a line\r\n", "", "Just a line"],
    ["Dear Bob: hello\r\nhow are you\r\n\r\nAnn\r\n", "", "Dear Bob: hello\nhow are you\n\nAnn"],
    ["Subject: hi\r\nhow are you\r\n", "hi", "how are you"],
    ["Subject: only\r\n", "only", ""],
    ["Subject: empty\r\n\r\n", "empty", ""],
    ["\r\nSubject: no\r\n", "", "Subject: no"],
  ])("reads %j, whose header is incomplete", async (raw, subject, text) => {
    const message = await decoder.decode(Buffer.from(raw));
    expect([message.subject, message.text.replaceAll("\r", "").trim()]).toEqual([subject, text]);
  });

  test("decodes several messages requested at the same time", async () => {
    const mail = (n: number) => Buffer.from(`Subject: ${n}\r\n\r\nbody ${n}\r\n`);
    const messages = await Promise.all([1, 2, 3, 4].map((n) => decoder.decode(mail(n))));
    expect(messages.map(({ subject, text }) => [subject, text.trim()])).toEqual(
      [1, 2, 3, 4].map((n) => [String(n), `body ${n}`]),
    );
  });

  test("rejects a message with too many parts, too deep or too large, and decodes the next", async () => {
    const parts = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\nx\r\n".repeat(2000)}--b--\r\n`;
    let deep = "\r\nx";
    for (let depth = 0; depth < 60; depth++)
      deep = `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n${deep}\r\n--b${depth}--`;
    for (const raw of [parts, deep])
      await expect(decoder.decode(Buffer.from(raw))).rejects.toMatchObject({ code: "MAIL_DECODE_REFUSED" });
    const small = openDecoder({ maxBytes: 10 });
    await expect(small.decode(multipart)).rejects.toMatchObject({ code: "MAIL_DECODE_REFUSED" });
    expect((await decoder.decode(multipart)).subject).toBe("café");
  });

  test("stops decoding a message after the timeout, and decodes the next in a new thread", async () => {
    let ring: () => void = () => {};
    let patient = false;
    const clock = {
      now: () => 0,
      monotonic: () => 0,
      after: (_ms: number, callback: () => void) => {
        if (patient) return () => {};
        ring = callback;
        setImmediate(() => ring());
        return () => {
          ring = () => {};
        };
      },
    };
    const impatient = openDecoder({ clock });
    await expect(impatient.decode(multipart)).rejects.toMatchObject({ code: "MAIL_DECODE_REFUSED" });
    patient = true;
    expect((await impatient.decode(multipart)).subject).toBe("café");
    await impatient.close();
    await expect(impatient.decode(multipart)).rejects.toMatchObject({ code: "MAIL_CLOSED" });
  });

  test("the time for a message begins when its thread has started", async () => {
    const waits: number[] = [];
    const after = (ms: number) => {
      waits.push(ms);
      return () => {};
    };
    const slow = openDecoder({ clock: { now: () => 0, monotonic: () => 0, after } });
    await slow.decode(multipart);
    await slow.decode(multipart);
    expect(waits).toEqual([30_000, 2_000, 2_000]);
    await slow.close();
  });

  test("ends early when its signal is aborted", async () => {
    const reason = new Error("gone");
    await expect(decoder.decode(multipart, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test("does not make an aborted caller wait for earlier messages", async () => {
    const [reason, ends] = [new Error("gone"), [] as string[]];
    const gone = new AbortController();
    const first = decoder.decode(multipart).then(() => ends.push("first"));
    const second = decoder.decode(multipart, { signal: gone.signal }).catch((error: unknown) => {
      expect(error).toBe(reason);
      ends.push("second");
    });
    const third = decoder.decode(multipart).then(() => ends.push("third"));
    gone.abort(reason);
    await Promise.all([first, second, third]);
    expect(ends).toEqual(["second", "first", "third"]);
  });

  test("rejects the message in progress with MAIL_CLOSED when it is closed", async () => {
    const closing = openDecoder({ timeoutMs: 20_000 });
    const atWork = expect(closing.decode(multipart)).rejects.toMatchObject({ code: "MAIL_CLOSED" });
    await new Promise((resolve) => setImmediate(resolve));
    await closing.close();
    await atWork;
  });
});
