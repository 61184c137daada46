import { isUtf8 } from "node:buffer";
import { parser as newParser, type Parser } from "mqtt-packet";

/** User properties in their order, one pair each. */
export type UserProperties = readonly Readonly<Record<string, string>>[];

/** The parts of mqtt-packet's parser that read fields and end packets. Its version is pinned, and tests cover the parts used here. */
interface ParserParts {
  readonly _list: { slice(from: number, to: number): Uint8Array };
  readonly _pos: number;
  /** The current packet, with the length of its fields in bytes. */
  readonly packet: { readonly cmd: string; readonly length: number };
  _parseNum(): number;
  _parseString(): string | null;
  _parseStringPair(): { readonly name: string | null; readonly value: string | null };
  _parseProperties(): Record<string, unknown> | false;
  _newPacket(): boolean;
  _emitError(error: Error): void;
}

/** MQTT: the maximum number of bytes of the length of properties. */
const lengthBytes = 4;

/**
 * A parser that reports strings that are not UTF-8 or contain U+0000, which mqtt-packet would replace or accept, and keeps user properties as
 * they were sent. mqtt-packet sorts them by name, and loses empty values. Packets that are shorter or longer than their fields are reported
 * too: mqtt-packet reads beyond the end of a short one, and skips the rest of a long one.
 */
export function strictParser(): Parser {
  const parser = newParser();
  const parts = parser as unknown as ParserParts;
  const { _parseString: parseString, _parseProperties: parseProperties } = parts;
  const { _parseNum: parseNumber, _newPacket: newPacket } = parts;
  let pairs: Record<string, string>[] = [];
  return Object.assign(parser, {
    _parseNum() {
      if (parts._pos + 2 > parts.packet.length)
        parts._emitError(new Error("a packet is shorter than its fields"));
      return parseNumber.call(parts);
    },
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
      const { packet } = parts;
      // Only DISCONNECT may leave out the length.
      if (packet.cmd === "disconnect" && parts._pos >= packet.length) return {};
      const end = endOfProperties(parts);
      const properties = parseProperties.call(parts);
      if (parts._pos !== end) parts._emitError(new Error("the length of the properties is wrong"));
      if (properties !== false && pairs.length > 0) properties["userProperties"] = pairs;
      return properties;
    },
    _newPacket() {
      const { cmd, length } = parts.packet;
      // The rest of a PUBLISH is its payload.
      const isExact = cmd === "publish" ? parts._pos <= length : parts._pos === length;
      if (isExact) return newPacket.call(parts);
      parts._emitError(
        new Error(`a packet is ${parts._pos > length ? "shorter" : "longer"} than its fields`),
      );
      return false;
    },
  });
}

/** Where the properties at the current position end; undefined if their length is incomplete. */
function endOfProperties({ _list, _pos, packet }: ParserParts): number | undefined {
  const bytes = _list.slice(_pos, Math.min(_pos + lengthBytes, packet.length));
  const last = bytes.findIndex((byte) => byte < 0x80);
  if (last === -1) return undefined;
  const length = bytes.subarray(0, last + 1).reduceRight((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return _pos + last + 1 + length;
}

function isValid(text: string, bytes: Uint8Array): boolean {
  // The decoder has replaced bytes that are not UTF-8 with U+FFFD.
  return !text.includes("\0") && (!text.includes("\ufffd") || isUtf8(bytes));
}
