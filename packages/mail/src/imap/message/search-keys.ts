import { byteText } from "../../mime/byte-text.ts";
import { decodeWords } from "../../mime/decode-text.ts";
import { headerFields, maxHeaderBytes } from "../../mime/header-fields.ts";
import { foldCase } from "../../search/match-message.ts";
import { readSearchedText } from "../../search/overview.ts";
import { dayMs, dayOfDateField, parseDay } from "../protocol/imap-format.ts";
import { ImapSyntaxError, type ImapValue, textOfValue } from "../protocol/imap-values.ts";
import { inRanges, isSequenceSet, parseSequenceSet } from "../protocol/sequence-set.ts";
import type { FetchedEntry } from "./fetch-items.ts";
import { hasKeyword } from "./flags.ts";

/** A message to search: its known facts and, if it was read, its bytes. */
export interface SearchedMessage {
  readonly entry: FetchedEntry;
  /** Its number in the mailbox. */
  readonly number: number;
  readonly content: SearchedContent | undefined;
}

/** A condition: undefined if it depends on bytes that were not read. */
type Condition = (message: SearchedMessage) => boolean | undefined;

/** A parsed search. */
export interface ImapSearch {
  readonly matches: Condition;
  /** Strings that the decoded text, subject or addresses of every match contain. */
  readonly required: readonly string[];
}

/** The largest numbers of a mailbox, for `*`. */
export interface SearchScope {
  readonly lastNumber: number;
  readonly lastUid: number;
}

/** Keys for flags that no message has. */
const constantKeys: Readonly<Record<string, boolean>> = {
  ALL: true,
  ANSWERED: false,
  DELETED: false,
  DRAFT: false,
  FLAGGED: false,
  NEW: false,
  OLD: true,
  RECENT: false,
  UNANSWERED: true,
  UNDELETED: true,
  UNDRAFT: true,
  UNFLAGGED: true,
};

/** The maximum nesting of conditions. */
const maxDepth = 20;

/** Parses the arguments of SEARCH. */
export function parseSearchKeys(values: readonly ImapValue[], scope: SearchScope): ImapSearch {
  const parser = new KeyParser(values, scope);
  const conditions: Condition[] = [];
  while (!parser.atEnd) conditions.push(parser.key());
  if (conditions.length === 0) throw new ImapSyntaxError("expected search keys");
  return { matches: allOf(conditions), required: parser.required };
}

function allOf(conditions: readonly Condition[]): Condition {
  return (message) => {
    let known: boolean | undefined = true;
    for (const condition of conditions) {
      const result = condition(message);
      if (result === false) return false;
      if (result === undefined) known = undefined;
    }
    return known;
  };
}

class KeyParser {
  readonly required: string[] = [];
  readonly #values: readonly ImapValue[];
  readonly #scope: SearchScope;
  #at = 0;

  constructor(values: readonly ImapValue[], scope: SearchScope) {
    this.#values = values;
    this.#scope = scope;
  }

  get atEnd(): boolean {
    return this.#at >= this.#values.length;
  }

  key(depth: number = 0): Condition {
    if (depth > maxDepth) throw new ImapSyntaxError("too many nested search keys");
    const value = this.#values[this.#at++];
    if (value?.kind === "list") return parseSearchKeys(value.items, this.#scope).matches;
    const name = textOfValue(value).toUpperCase();
    if (Object.hasOwn(constantKeys, name)) return () => constantKeys[name];
    if (name === "SEEN" || name === "UNSEEN") return ({ entry }) => entry.read === (name === "SEEN");
    if (isSequenceSet(name)) {
      const ranges = parseSequenceSet(name, this.#scope.lastNumber);
      return ({ number }) => inRanges(ranges, number);
    }
    if (name === "NOT") {
      const condition = this.key(depth + 1);
      return (message) => negated(condition(message));
    }
    if (name === "OR") {
      const [one, other] = [this.key(depth + 1), this.key(depth + 1)];
      return (message) =>
        negated(
          allOf(
            [one, other].map(
              (each): Condition =>
                (m) =>
                  negated(each(m)),
            ),
          )(message),
        );
    }
    return this.#withArgument(name, depth);
  }

  #withArgument(name: string, depth: number): Condition {
    const argument = () => textOfValue(this.#values[this.#at++]);
    switch (name) {
      case "UID": {
        const ranges = parseSequenceSet(argument(), this.#scope.lastUid);
        return ({ entry }) => inRanges(ranges, entry.uid);
      }
      case "LARGER":
      case "SMALLER": {
        const size = Number(argument());
        if (!Number.isSafeInteger(size)) throw new ImapSyntaxError("expected a number");
        return ({ entry }) => (name === "LARGER" ? entry.size > size : entry.size < size);
      }
      case "KEYWORD":
      case "UNKEYWORD": {
        const keyword = argument();
        return ({ entry }) => hasKeyword(entry, keyword) === (name === "KEYWORD");
      }
      case "HEADER": {
        const field = argument().toLowerCase();
        const wanted = foldCase(argument());
        return ({ content }) => content?.header(field).some((value) => foldCase(value).includes(wanted));
      }
      default:
        return dateKey(name, argument) ?? this.#textKey(name, argument, depth);
    }
  }

  #textKey(name: string, argument: () => string, depth: number): Condition {
    if (!["FROM", "TO", "CC", "BCC", "SUBJECT", "TEXT", "BODY"].includes(name))
      throw new ImapSyntaxError(`unknown search key ${name.slice(0, 20)}`);
    const given = argument();
    const wanted = foldCase(given);
    // A key at the top must hold for every match.
    if (depth === 0 && given !== "") this.required.push(given);
    if (name === "TEXT") return ({ content }) => content?.text.includes(wanted);
    if (name === "BODY") return ({ content }) => content?.body.includes(wanted);
    const field = name.toLowerCase();
    return ({ content }) => content?.header(field).some((value) => foldCase(value).includes(wanted));
  }
}

function negated(result: boolean | undefined): boolean | undefined {
  return result === undefined ? undefined : !result;
}

/** Conditions on days: BEFORE, ON and SINCE by arrival, and the same with SENT by the field Date. */
function dateKey(name: string, argument: () => string): Condition | undefined {
  const [, sent, how] = /^(SENT)?(BEFORE|ON|SINCE)$/.exec(name) ?? [];
  if (how === undefined) return undefined;
  const day = parseDay(argument());
  if (day === undefined) throw new ImapSyntaxError("expected a date such as 2-Jan-2026");
  const fits = (ms: number) =>
    how === "BEFORE" ? ms < day : how === "SINCE" ? ms >= day : ms >= day && ms < day + dayMs;
  if (sent === undefined) return ({ entry }) => fits(entry.created);
  return ({ content }) => {
    if (content === undefined) return undefined;
    const sentOn = dayOfDateField(content.header("date")[0] ?? "");
    return sentOn !== undefined && fits(sentOn);
  };
}

/** The parts of a message that searches read: header fields, and the decoded text of its first MiB. */
export class SearchedContent {
  readonly #raw: Uint8Array;
  #fields: ReadonlyMap<string, readonly string[]> | undefined;
  #texts: { readonly head: string; readonly body: string } | undefined;

  constructor(raw: Uint8Array) {
    this.#raw = raw;
  }

  /** The decoded values of the fields with this name. */
  header(name: string): readonly string[] {
    this.#fields ??= this.#readFields();
    return this.#fields.get(name) ?? [];
  }

  /** Subject, addresses and texts, folded. */
  get text(): string {
    const { head, body } = this.#read();
    return `${head}\n${body}`;
  }

  /** The texts, folded. */
  get body(): string {
    return this.#read().body;
  }

  #read() {
    if (this.#texts === undefined) {
      const { head, texts } = readSearchedText(this.#raw);
      this.#texts = { head: foldCase(head.join("\n")), body: foldCase([...texts()].join("\n")) };
    }
    return this.#texts;
  }

  #readFields(): ReadonlyMap<string, readonly string[]> {
    const { fields } = headerFields(byteText(this.#raw.subarray(0, maxHeaderBytes)));
    const byName = new Map<string, string[]>();
    for (const { name, value } of fields) {
      const values = byName.get(name);
      if (values === undefined) byName.set(name, [decodeWords(value)]);
      else values.push(decodeWords(value));
    }
    return byName;
  }
}
