import { fakeClock } from "@tablekeep/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MailOptions, openMail } from "../../src/index.ts";
import { engineWithMail } from "../engine-mail.ts";
import { addresses, envelope, rawMessage, words } from "./message-arbitraries.ts";
import { humanView, type Remembered } from "./plain-reader.ts";

/** One term as it is meant. It is written as a query below, and evaluated here without reading that. */
interface Term {
  readonly not: boolean;
  readonly name: string;
  readonly value: string;
}

const anyCase = (text: string) => text.toLowerCase().replaceAll("ς", "σ").split(/\s+/).join(" ");

/** Whether a message satisfies a term, by reading all of it. */
function satisfies({ name, value }: Term, { envelope: { to }, raw, created }: Remembered): boolean {
  const { subjects, named, texts, files } = humanView(raw);
  const shown = ["to", "cc", "bcc"].map((each) => named(each).toLowerCase());
  const blind = to.filter(
    (address) => !shown.some((header) => header.split(/[\s<>,;:"'()[\]\\]+/).includes(address.toLowerCase())),
  );
  const contains = (...all: string[]) => all.some((text) => anyCase(text).includes(anyCase(value)));
  switch (name) {
    case "":
      return contains(...subjects, ...["from", "to", "cc", "bcc"].map(named), ...texts);
    case "bcc":
      return contains(named("bcc"), ...blind);
    case "addressed":
      return contains(...["from", "to", "cc", "bcc", "reply-to"].map(named), ...blind);
    case "is":
      return value === "unread";
    case "tag":
      return false;
    case "has":
      return value.startsWith("attachment") ? files.length > 0 : files.includes("inline");
    case "before":
      return created <= Date.parse(value);
    case "after":
      return created >= Date.parse(value);
    case "larger":
      return raw.length > Number.parseFloat(value) * (value.endsWith("k") ? 1024 : 1);
    case "smaller":
      return raw.length < Number.parseFloat(value) * (value.endsWith("k") ? 1024 : 1);
    default:
      return contains(named(name));
  }
}

/** The query, with quotes where they are needed or possible. */
function written(terms: readonly Term[], quotes: boolean): string {
  return terms
    .map(({ not, name, value }) => {
      const isPlain = !quotes && !/[\s"\\]|^[-!]/.test(value);
      const quoted = `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
      return `${not ? "-" : ""}${name === "" ? "" : `${name}:`}${isPlain ? value : quoted}`;
    })
    .join("  ");
}

const start = Date.UTC(2050, 2, 10, 11, 59, 58);
const word = fc.oneof(
  fc.constantFrom(...addresses, ...words),
  fc.constantFrom(
    "@",
    "oic",
    "EXAMPLE.ORG",
    "in voice",
    "ice  receipt",
    "Someone <",
    "ß",
    "x y",
    "tail",
    "logo",
  ),
);
const time = fc.integer({ min: -3000, max: 6000 }).map((ms) => new Date(start + ms).toISOString());
const one = (name: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<Term> =>
  fc.record({ not: fc.boolean(), name, value });
const fields = ["", "", "", "from", "to", "cc", "bcc", "reply-to", "addressed", "subject", "message-id"];
const term = fc.oneof(
  { weight: 6, arbitrary: one(fc.constantFrom(...fields), word) },
  { weight: 1, arbitrary: one(fc.constant("has"), fc.constantFrom("attachment", "attachments", "inline")) },
  { weight: 1, arbitrary: one(fc.constantFrom("before", "after"), time) },
  {
    weight: 1,
    arbitrary: one(fc.constantFrom("larger", "smaller"), fc.constantFrom("1", "60", "0.2k", "900k")),
  },
  { weight: 1, arbitrary: one(fc.constant("is"), fc.constantFrom("read", "unread", "tagged")) },
);

/** Messages with files, and with the headers that other searches do not read. */
const withFiles = fc
  .tuple(
    word,
    word,
    fc.constantFrom("", "\nContent-ID: <logo@x>"),
    fc.constantFrom("", "inline", "attachment"),
  )
  .map(([reply, id, contentId, disposition]) => {
    const part = `Content-Type: image/png${contentId}${disposition && `\nContent-Disposition: ${disposition}`}`;
    const head = `Reply-To: ${reply}\nMessage-ID: <${id}@x.example>\nBcc: ${reply}`;
    return `${head}\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\n${part}\n\nAAAA\n--b--\n`;
  })
  .map((text) => Buffer.from(text.replaceAll("\n", "\r\n")));

const layouts: readonly (readonly [name: string, runs: number, options: MailOptions])[] = [
  ["sharded", 15, { layout: "sharded" }],
  ["mhdynamo", 15, { layout: "mhdynamo" }],
];

describe.each(layouts)("a query, %s", (name, numRuns, options) => {
  test("finds exactly what reading all messages finds", async () => {
    const raw = fc.oneof(
      { weight: 4, arbitrary: rawMessage(name === "sharded") },
      { weight: 1, arbitrary: withFiles },
    );
    const stored = fc.record({ envelope, raw, afterMs: fc.nat(1500) });
    const inputs = [
      fc.array(stored, { minLength: 1, maxLength: 6 }),
      fc.array(fc.tuple(fc.array(term, { minLength: 1, maxLength: 3 }), fc.boolean()), {
        minLength: 20,
        maxLength: 40,
      }),
    ] as const;
    const property = fc.asyncProperty(...inputs, async (given, queries) => {
      const clock = fakeClock({ startAt: start });
      const port = await engineWithMail(options);
      const mail = await openMail(port, { ...options, clock });
      const messages: Remembered[] = [];
      for (const { afterMs, ...each } of given) {
        messages.push({ ...each, ...(await mail.store(each.envelope, each.raw)) });
        await clock.advance(afterMs);
      }
      for (const [terms, quotes] of queries) {
        const query = written(terms, quotes);
        const { items } = await mail.search({ query });
        const expected = messages.filter((message) =>
          terms.every((each) => satisfies(each, message) !== each.not),
        );
        expect(items.map(({ id }) => id).reverse(), query).toEqual(expected.map(({ id }) => id));
      }
      await mail.close();
      await port.close();
    });
    await fc.assert(property, { numRuns });
  });
});
