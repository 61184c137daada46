import fc from "fast-check";
import type { Envelope } from "../../src/index.ts";

export const addresses = [
  "ann@example.org",
  "Bob@Example.com",
  "an@example.org",
  "ännchen@exämple.org",
  "postmaster",
];
export const words = ["invoice", "In", "VOICE", "übergröße", "a=b", "receipt", "Σίσυφος", "x"];

const text = fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((some) => some.join(" "));
const address = fc.constantFrom(...addresses);

const base64 = (value: string) => Buffer.from(value).toString("base64");
const quoted = (value: string, keep: RegExp) =>
  [...Buffer.from(value)]
    .map((byte) => String.fromCharCode(byte))
    .map((char) =>
      keep.test(char) ? char : `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");

/** Characters that Latin-1 does not have become a question mark, as senders do it. */
const latin1 = (value: string) => value.replace(/[^\0-\xff]/g, "?");
const latin1Base64 = (value: string) => Buffer.from(latin1(value), "latin1").toString("base64");
const latin1Quoted = (value: string) =>
  latin1(value)
    .split("")
    .map((char) =>
      /[A-Za-z0-9]/.test(char) ? char : `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");

/** How a header's value may be written. */
const styles: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  folded: (value) => value.replaceAll(" ", "\n "),
  "folded by tabs": (value) => value.replaceAll(" ", "\n\t"),
  "words in base64": (value) => (value === "" ? "" : `=?utf-8?B?${base64(value)}?=`),
  "quoted words": (value) => `=?UTF-8?q?${quoted(value, /[A-Za-z0-9]/)}?= end`,
  "words of Latin-1": (value) =>
    `=?iso-8859-1?Q?${latin1Quoted(value)}?= =?ISO-8859-1?B?${latin1Base64(value)}?=`,
  "two words": (value) => `=?utf-8?Q?${quoted(value, /[a-z]/)}?= =?utf-8?b?${base64("tail")}?=`,
};
const style = fc.constantFrom(...Object.keys(styles));

/** How a header may be called, and divided from its value. */
const called = (name: string) =>
  fc.constantFrom(`${name}: `, `${name}: `, `${name}: `, `${name.toLowerCase()}: `, `${name}:`, `${name} : `);

const field = (name: string, value: fc.Arbitrary<string>) =>
  fc
    .tuple(called(name), style, value)
    .map(([start, how, content]) => `${start}${styles[how]?.(content) ?? content}`);

/** Headers that are long, repeated, malformed, or called like members of every object. */
const oddField = fc.oneof(
  text.map((value) => `Headers: ${value}`),
  text.map((value) => `__proto__: ${value}`),
  text.map((value) => `constructor: ${value}`),
  text.map((value) => `X-Empty-Then-Fold: \n ${value}`),
  address.map((value) => `From: ${value}`),
  address.map((value) => `To: ${`Someone <${value}>, `.repeat(100)}end`),
  address.map((value) => `Cc: ${value}`),
  address.map((value) => `To: =?utf-8?B?${base64("Second")}?= <${value}>`),
  text.map((value) => `Received: ${value}`),
  text.map((value) => `MESSAGE-ID: ${value}`),
  fc.constant("no field at all"),
);

const giant = fc.constantFrom(
  `X-Filler: ${"y".repeat(1_100_000)}`,
  `X-Filler: ${"y".repeat(500_000)}\nX-More: ${"z".repeat(600_000)} receipt`,
);

/** The rest of a message after its first headers: more headers, an empty line or none, and a body. */
const rest = fc.oneof(
  fc.constantFrom("", "\n", "\n\n", "\n\n\n"),
  text.map((body) => `\n\n${body}\n`),
  text.map((body) => `\n\n${body}`),
  text.map((body) => `\nContent-Transfer-Encoding: base64\n\n${base64(body)}\n`),
  text.map(
    (body) =>
      `\nContent-Transfer-Encoding: quoted-printable\n\n${quoted(body, /[a-zA-Z ]/).replace("oi", "o=\ni")}\n`,
  ),
  text.map(
    (body) => `\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${body}\n`,
  ),
  text.map(
    (body) =>
      `\nContent-Type: text/plain; charset=latin1\nContent-Transfer-Encoding: base64\n\n${latin1Base64(body)}\n`,
  ),
  text.map(
    (body) =>
      `\nContent-Type: text/html; charset=latin1\nContent-Transfer-Encoding: quoted-printable\n\n<p>${latin1Quoted(body)}</p>\n`,
  ),
  text.map((body) => `\nContent-Type: text/html\n\n<p>${body}</p><b>in</b>voice\n`),
  fc
    .tuple(
      fc.constantFrom("boundary=b", 'boundary="b"', "boundary*0=b", "boundary*=utf-8''b"),
      text,
      text,
      text,
      fc.constantFrom("--b--\n", "--b--", ""),
    )
    .map(
      ([boundary, plain, html, attached, end]) =>
        `\nContent-Type: multipart/mixed; ${boundary}\n\npreamble VOICE\n--b\n\n${plain}\n--b\nContent-Type: text/html\n\n<p>${html}</p>\n--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\n${attached} attached\n${end}`,
    ),
  fc
    .tuple(text, text)
    .map(
      ([plain, html]) =>
        `\nContent-Type: multipart/mixed; boundary=outer\n\n--outer\nContent-Type: multipart/alternative; boundary=inner\n\n--inner\n\n${plain}\n--inner\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\n${base64(`<p>${html}</p>`)}\n--inner--\n--outer--\n`,
    ),
);

const headers = (large: boolean) =>
  fc
    .tuple(
      fc.option(
        field(
          "From",
          fc.oneof(
            address,
            fc.tuple(text, address).map(([name, at]) => `${name} <${at}>`),
          ),
        ),
      ),
      fc.option(
        field(
          "To",
          fc.tuple(text, address).map(([name, at]) => `${name} <${at}>`),
        ),
      ),
      fc.option(field("Subject", text)),
      fc.option(field("Subject", text), { freq: 1 }),
      fc.array(oddField, { maxLength: 2 }),
      large ? fc.option(giant, { freq: 20 }) : fc.constant(null),
    )
    .chain((fields) => fc.shuffledSubarray(fields.flat().filter((each) => each !== null)))
    .map((lines) => lines.join("\n"));

/** Messages in every shape that matters to a search. `large`: also with headers of more than 1 MiB. */
export const rawMessage = (large: boolean): fc.Arbitrary<Buffer> =>
  fc
    .record({
      content: fc.oneof(
        { weight: 10, arbitrary: fc.tuple(headers(large), rest).map((both) => both.join("")) },
        { weight: 1, arbitrary: text },
        { weight: 1, arbitrary: text.map((body) => `Dear Bob: ${body}\n\n${body}\n`) },
        { weight: 1, arbitrary: text.map((body) => `\n${body}\n`) },
      ),
      lineEnd: fc.constantFrom("\r\n", "\r\n", "\r\n", "\n"),
      charset: fc.constantFrom("utf8" as const, "utf8" as const, "latin1" as const),
    })
    .map(({ content, lineEnd, charset }) => Buffer.from(content.replaceAll("\n", lineEnd), charset));

export const envelope: fc.Arbitrary<Envelope> = fc.record({
  from: fc.oneof(address, fc.constantFrom("", "@relay.example:ann@example.org")),
  to: fc.array(address, { maxLength: 3 }),
  helo: fc.constantFrom("client", ""),
});
