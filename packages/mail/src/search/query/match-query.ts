import { fieldOf, parameterValue } from "../../mime/header-fields.ts";
import type { LeafPart } from "../../mime/walk-parts.ts";
import type { Envelope, MailMessage, MailSummary } from "../../model/message.ts";
import { foldCase } from "../match-message.ts";
import { readSearchedText } from "../overview.ts";
import { oneSpaced } from "./parse-query.ts";
import type { ParsedQuery, QueryTerm, QueryTest } from "./query-term.ts";

/** A shorter value of a summary is complete: longer ones are cut at 500 characters, or one less. */
const shortest = 499;

/** Whether a message matches, as far as its summary tells: undefined if that requires its bytes. */
export function matchSummary({ terms }: ParsedQuery, summary: MailSummary): boolean | undefined {
  let known = true;
  for (const { not, test } of terms) {
    const result = testSummary(test, summary);
    if (result === undefined) known = false;
    else if (result === not) return false;
  }
  return known ? true : undefined;
}

function testSummary(test: QueryTest, summary: MailSummary): boolean | undefined {
  switch (test.field) {
    case "is":
      if (test.value === "tagged") return summary.tags.length > 0;
      return summary.read === (test.value === "read");
    case "tag":
      return summary.tags.some((tag) => foldCase(tag) === test.value);
    case "has":
      return test.value === "attachment" ? summary.attachments > 0 : undefined;
    case "before":
      return summary.created <= test.ms;
    case "after":
      return summary.created >= test.ms;
    case "larger":
      return summary.size > test.bytes;
    case "smaller":
      return summary.size < test.bytes;
    case "subject":
      return containedIn(summary.subject, test.value);
    case "from":
      return containedIn(summary.headerFrom, test.value);
    case "to":
      return containedIn(summary.headerTo, test.value);
    default:
      return undefined;
  }
}

function containedIn(text: string, value: string): boolean | undefined {
  return text.length < shortest ? contains(foldCase(text), value) : undefined;
}

/** Whether a message whose bytes were read matches. */
export function matchQuery({ terms }: ParsedQuery, message: MailMessage): boolean {
  const content = messageContent(message);
  const test = ({ not, test: each }: QueryTerm) =>
    (testSummary(each, message) ?? testContent(each, content)) !== not;
  return terms.every(test);
}

/** Whether a folded text contains a value. Most values have no space, and then it does not matter how many the text has. */
function contains(folded: string, value: string): boolean {
  if (!value.includes(" ")) return folded.includes(value);
  return value.split(" ").every((word) => folded.includes(word)) && oneSpaced(folded).includes(value);
}

/** What queries match against, read when it is needed. */
type Content = ReturnType<typeof messageContent>;

function messageContent({ raw, envelope }: MailMessage) {
  const { parts, named, head, texts } = readSearchedText(raw);
  return {
    named,
    hasInline: () => parts.some(isInline),
    blind: () => blindRecipients(envelope, ["to", "cc", "bcc"].map(named)),
    texts: remembered(foldedTexts()),
  };

  function* foldedTexts() {
    for (const line of head) yield foldCase(line);
    for (const text of texts()) yield foldCase(text);
  }
}

/** Values that are computed when they are needed, and once. */
function remembered<Value>(values: Iterator<Value, void>): Iterable<Value> {
  const known: Value[] = [];
  return {
    *[Symbol.iterator]() {
      for (let at = 0; ; at++) {
        if (at === known.length) {
          const { done, value } = values.next();
          if (done === true) return;
          known.push(value);
        }
        yield known[at] as Value;
      }
    },
  };
}

function testContent(test: QueryTest, content: Content): boolean {
  const { named } = content;
  if (test.field === "has") return content.hasInline();
  if (!("value" in test)) return false;
  const { field, value } = test;
  const inAny = (texts: readonly string[]) => texts.some((text) => contains(foldCase(text), value));
  switch (field) {
    case "text":
      for (const text of content.texts) if (contains(text, value)) return true;
      return false;
    case "bcc":
      return inAny([named("bcc"), ...content.blind()]);
    case "addressed":
      return inAny([...["from", "to", "cc", "bcc", "reply-to"].map(named), ...content.blind()]);
    default:
      return inAny([named(field)]);
  }
}

/** Recipients of the envelope that no header names. */
function blindRecipients({ to }: Envelope, headers: readonly string[]): string[] {
  const shown = new Set(headers.flatMap((header) => header.toLowerCase().split(/[\s<>,;:"'()[\]\\]+/)));
  return to.filter((address) => !shown.has(address.toLowerCase()));
}

/** Whether a part is shown within the text, as an image is. */
function isInline({ fields, type }: LeafPart): boolean {
  if (/^(?:|text\/plain|text\/html|multipart\/.*)$/.test(type.value)) return false;
  const disposition = parameterValue(fieldOf(fields, "content-disposition")).value;
  return disposition === "inline" || (disposition === "" && fieldOf(fields, "content-id") !== "");
}
