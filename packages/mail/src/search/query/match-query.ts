import { byteText } from "../../mime/byte-text.ts";
import { decodeWords } from "../../mime/decode-text.ts";
import { fieldOf, parameterValue } from "../../mime/header-fields.ts";
import { type LeafPart, walkParts } from "../../mime/walk-parts.ts";
import type { Envelope, MailMessage, MailSummary } from "../../model/mail.ts";
import { foldCase } from "../match-message.ts";
import { overviewBytes, readOverview } from "../overview.ts";
import { searchable } from "./parse-query.ts";
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
  return text.length < shortest ? searchable(text).includes(value) : undefined;
}

/** Whether a message whose bytes were read matches. */
export function matchQuery({ terms }: ParsedQuery, message: MailMessage): boolean {
  const content = messageContent(message);
  const test = ({ not, test: each }: QueryTerm) =>
    (testSummary(each, message) ?? testContent(each, content)) !== not;
  return terms.every(test);
}

/** What queries match against, read when it is needed. */
type Content = ReturnType<typeof messageContent>;

function messageContent({ raw, envelope }: MailMessage) {
  const { top, parts } = walkParts(byteText(raw.subarray(0, overviewBytes)));
  const named = (name: string) => decodeWords(fieldOf(top, name));
  let texts: readonly string[] | undefined;
  return {
    named,
    hasInline: () => parts.some(isInline),
    blind: () => blindRecipients(envelope, ["to", "cc", "bcc"].map(named)),
    texts() {
      texts ??= [...["subject", "from", "to", "cc", "bcc"].map(named), ...readOverview(raw).texts].map(
        searchable,
      );
      return texts;
    },
  };
}

function testContent(test: QueryTest, content: Content): boolean {
  const { named } = content;
  if (test.field === "has") return content.hasInline();
  if (!("value" in test)) return false;
  const { field, value } = test;
  const contains = (texts: readonly string[]) => texts.some((text) => searchable(text).includes(value));
  switch (field) {
    case "text":
      return content.texts().some((text) => text.includes(value));
    case "bcc":
      return contains([named("bcc"), ...content.blind()]);
    case "addressed":
      return contains([...["from", "to", "cc", "bcc", "reply-to"].map(named), ...content.blind()]);
    default:
      return contains([named(field)]);
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
