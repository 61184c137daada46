import { createTransport, type SendMailOptions } from "nodemailer";
import { describe, expect, test } from "vitest";
import { type MailMatchersWithSnapshot, mailMatchers, mailMatchersFor, mailSnapshot } from "./index.ts";

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: the same parameter as in the declaration of vitest
  interface Matchers<T = any> extends MailMatchersWithSnapshot {}
}

expect.extend(mailMatchersFor(expect));

/** The bytes of a message as a mail library writes it. */
async function written(options: SendMailOptions): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  return (await transport.sendMail(options)).message as Buffer;
}

const order: SendMailOptions = {
  from: "Shop <shop@shop.dev>",
  to: "Änn <ann@mail.dev>",
  subject: "Your order № 7",
  text: "Thanks, Änn!\nTrack it: https://shop.dev/track?id=7&x=1. Bye.",
  html: '<p>Thanks,\n <b>Änn</b>!</p><a href="https://shop.dev/track?id=7&amp;x=1">Track</a><img src="cid:logo@shop" alt="Shop">',
  attachments: [
    { filename: "invoice.pdf", content: "%PDF", contentType: "application/pdf" },
    { filename: "logo.png", content: "png", cid: "logo@shop" },
  ],
};
const raw = await written(order);
const message = { raw };

describe("matchers accept bytes, messages with bytes, and decoded texts", () => {
  const { subject, text, html } = order as { subject: string; text: string; html: string };
  test.each([
    ["bytes", raw],
    ["a string", raw.toString()],
    ["a stored message", message],
    ["a decoded message", { subject, text, html }],
  ])("%s", (_name, mail) => {
    expect(mail).toHaveSubject("Your order № 7");
    expect(mail).toHaveSubject(/order/g);
    expect(mail).toHaveText("Thanks, Änn!");
    expect(mail).toHaveText(/track it: https/i);
    expect(mail).toHaveLink("https://shop.dev/track?id=7&x=1");
    expect(mail).toHaveLink(/\/track/);
    expect(mail).not.toHaveSubject("Your order");
    expect(mail).not.toHaveText("Track it: http://");
    expect(mail).not.toHaveLink("https://shop.dev/track");
  });
});

describe("a failed assertion shows the contents of the mail", () => {
  test.each([
    [() => expect(message).toHaveSubject("x"), "Your order № 7"],
    [() => expect(message).toHaveText("x y z"), "Thanks, Änn! Track it"],
    [() => expect(message).toHaveLink(/none/), "https://shop.dev/track?id=7&x=1"],
    [() => expect(message).not.toHaveLink(/track/), "not to have a link to /track/"],
    [() => expect({ text: "x" }).toHaveLink(/none/), "(none)"],
    [() => expect(7).toHaveSubject("x"), "expected a mail"],
  ])("%#", (assertion, said) => {
    expect(assertion).toThrow(said);
  });
});

describe("toPassLint", () => {
  test("fails by level, with the findings and their fixes", async () => {
    await expect(message).toPassLint();
    await expect(message).toPassLint({ level: "warning" });
    const imageOnly = await written({ ...order, html: '<img src="cid:logo@shop">' });
    await expect(imageOnly).toPassLint();
    await expect(imageOnly).not.toPassLint({ level: "warning" });
    const broken = await written({ ...order, subject: "Hello {{ name }}" });
    await expect(expect(broken).toPassLint()).rejects.toThrow(
      /template-rest: .*\{\{ name \}\}.*Fill in the value/,
    );
    await expect(broken).toPassLint({ ignore: ["template-rest"] });
  });

  test("needs the bytes", async () => {
    await expect(mailMatchers.toPassLint({ text: "x" })).rejects.toThrow(TypeError);
    await expect(mailMatchers.toPassLint(raw, { level: "all" as "error" })).rejects.toThrow(TypeError);
  });
});

describe("a snapshot", () => {
  test("is the same for each message of the same content", async () => {
    const again = await written(order);
    expect(again.equals(raw)).toBe(false);
    expect(mailSnapshot(again)).toBe(mailSnapshot(raw));
    const other = await written({ ...order, attachments: [{ filename: "invoice.pdf", content: "%PDF2" }] });
    expect(mailSnapshot(other)).not.toBe(mailSnapshot(raw));
    for (const changed of [{ subject: "x" }, { text: "x" }, { html: "x" }, { to: "x@y.dev" }])
      expect(mailSnapshot(await written({ ...order, ...changed }))).not.toBe(mailSnapshot(raw));
  });

  test("does not depend on escaped Content-IDs and on dates of files", () => {
    const file = (id: string, at: string) =>
      `Content-Type: multipart/related; boundary=${id}\n\n--${id}\nContent-Type: text/html\n\n<img src="cid:${id}%40shop">\n` +
      `--${id}\nContent-Type: image/png\nContent-ID: <${id}@shop>\nContent-Disposition: inline; filename=a.png;\n creation-date="${at}"; modification-date="${at}"\n\nx\n--${id}--\n`;
    const snapshot = mailSnapshot(file("one", "Mon, 16 Nov 2026 10:30:00 GMT"));
    expect(mailSnapshot(file("two", "Tue, 17 Nov 2026 11:00:00 GMT"))).toBe(snapshot);
    expect(snapshot).toContain("cid:<content-1>");
  });

  test("does not depend on transfer encodings and line ends", async () => {
    const base64 = await written({ ...order, textEncoding: "base64" });
    const quoted = await written({ ...order, textEncoding: "quoted-printable" });
    expect(mailSnapshot(base64)).toBe(mailSnapshot(quoted));
    expect(mailSnapshot(raw.toString().replaceAll("\r\n", "\n"))).toBe(mailSnapshot(raw));
  });

  test("replaces what the test names, and leaves out headers", () => {
    const snapshot = mailSnapshot(message, { replace: [[/id=\d+/, "id=<id>"]], without: ["MIME-Version"] });
    expect(snapshot.match(/id=<id>/g)).toHaveLength(2);
    expect(snapshot).not.toContain("mime-version");
  });

  test("is compared by the test framework", () => {
    expect(message).toMatchMailSnapshot();
    expect(message).toMatchMailSnapshot("a name");
    const seen: unknown[][] = [];
    const other = mailMatchersFor((actual) => ({
      toMatchSnapshot: (...name) => seen.push([actual, ...name]),
    }));
    other.toMatchMailSnapshot(message, "order.txt");
    other.toMatchMailSnapshot(message);
    expect(seen).toEqual([[mailSnapshot(raw), "order.txt"], [mailSnapshot(raw)]]);
  });
});

describe.concurrent("a snapshot in concurrent tests", () => {
  test.for(["one", "two", "three"])("is compared by the expect of the test: %s", async (name, { expect }) => {
    await Promise.resolve();
    expect(`Subject: ${name}\r\n\r\nx`).toMatchMailSnapshot();
  });
});

test.each([
  ["a promise that nobody awaited", Promise.resolve(message), "await it"],
  ["an object of another kind", { id: "1" }, "expected a mail"],
  ["nothing", undefined, "expected a mail"],
])("matchers reject %s, even if they are negated", (_name, mail, said) => {
  expect(() => expect(mail).toHaveLink(/./)).toThrow(said);
  expect(() => expect(mail).not.toHaveSubject("x")).toThrow(said);
});

test.each(["toHaveSubject", "toHaveText", "toHaveLink"] as const)(
  "%s rejects what is neither a string nor a regular expression",
  (matcher) => {
    const mail = { subject: "undefined", text: "undefined https://shop.dev/undefined" };
    for (const expected of [undefined, null, 7, {}])
      expect(() => mailMatchers[matcher](mail, expected as never)).toThrow(TypeError);
    const isEmptyAllowed = matcher === "toHaveSubject";
    const matchBlank = () => mailMatchers[matcher](mail, " ");
    if (isEmptyAllowed) expect(matchBlank().pass).toBe(false);
    else expect(matchBlank).toThrow(TypeError);
  },
);
