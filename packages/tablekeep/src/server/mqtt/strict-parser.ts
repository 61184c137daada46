import { isUtf8 } from "node:buffer";
import { parser as newParser, type Parser } from "mqtt-packet";

/** User properties in their order, one pair each. */
export type UserProperties = readonly Readonly<Record<string, string>>[];

/** The parts of mqtt-packet's parser that read strings and properties. Its version is fixed, and tests cover what is used here. */
interface ParserParts {
  readonly _list: { slice(from: number, to: number): Uint8Array };
  readonly _pos: number;
  _parseString(): string | null;
  _parseStringPair(): { readonly name: string | null; readonly value: string | null };
  _parseProperties(): Record<string, unknown> | false;
  _emitError(error: Error): void;
}

/**
 * A parser that reports strings that are not UTF-8 or contain U+0000, which mqtt-packet would replace or accept, and keeps user properties as
 * they were sent. mqtt-packet sorts them by name, and loses empty values.
 */
export function strictParser(): Parser {
  const parser = newParser();
  const parts = parser as unknown as ParserParts;
  const { _parseString: parseString, _parseProperties: parseProperties } = parts;
  let pairs: Record<string, string>[] = [];
  return Object.assign(parser, {
    _parseString() {
      const start = parts._pos + 2;
      const text = parseString.call(parts);
      if (text !== null && !isValid(text, parts._list.slice(start, parts._pos)))
        parts._emitError(new Error("a string is not UTF-8, or contains U+0000"));
      return text;
    },
    _parseStringPair() {
      const [name, value] = [parts._parseString(), parts._parseString()];
      if (name !== null && value !== null) pairs.push({ [name]: value });
      else parts._emitError(new Error("a user property is incomplete"));
      return { name: name ?? "", value: value ?? "" };
    },
    _parseProperties() {
      pairs = [];
      const properties = parseProperties.call(parts);
      if (properties !== false && pairs.length > 0) properties["userProperties"] = pairs;
      return properties;
    },
  });
}

function isValid(text: string, bytes: Uint8Array): boolean {
  // The decoder has put U+FFFD in place of what is not UTF-8.
  return !text.includes("\0") && (!text.includes("\ufffd") || isUtf8(bytes));
}
