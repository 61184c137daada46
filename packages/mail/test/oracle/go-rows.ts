import type { AttributeValue, Item } from "@tablekeep/core";
import fc from "fast-check";
import type { Envelope, MailhogMessage } from "../../src/index.ts";
import { envelope, rawMessage } from "./message-arbitraries.ts";
import { boundaryOf, mailhogView, type Remembered } from "./plain-reader.ts";

/** Rows as MailHog with the Go package mhdynamo writes them, from the rules of both, without any code of the store. */

/** The message as MailHog represents it. */
export function goMessage(received: Remembered): MailhogMessage {
  const { id, created, envelope: sent, raw } = received;
  const { headers, body } = mailhogView(received);
  const data = raw.toString("utf8").replace(/\r\n$/, "");
  const To = sent.to.length === 0 ? null : sent.to;
  const size = Buffer.byteLength(data);
  return {
    ID: id,
    From: goPath(sent.from),
    To: To === null ? null : To.map(goPath),
    Content: { Headers: Object.fromEntries(headers), Body: body, Size: size, MIME: null },
    Created: new Date(created).toISOString().replace(/\.?0*Z$/, "Z"),
    MIME: goParts(headers.get("Content-Type")?.[0], body),
    Raw: { From: sent.from, To, Data: data, Helo: sent.helo },
  };
}

function goPath(path: string) {
  const [relays, address] = path.includes(":")
    ? [path.split(":")[0] ?? "", path.replace(/^[^:]*:/, "")]
    : [null, path];
  const [Mailbox = "", ...domain] = address.split("@");
  return {
    Relays: relays === null ? null : relays.split(","),
    Mailbox,
    Domain: domain.join("@"),
    Params: "",
  };
}

function goParts(type: string | undefined, body: string): MailhogMessage["MIME"] {
  if (type?.startsWith("multipart/") !== true) return null;
  const boundary = boundaryOf(type);
  const pieces = boundary === "" ? [] : body.split(`--${boundary}`).filter((piece) => piece !== "");
  const Parts = pieces.map((piece) => {
    const text = piece.replace(/^[\r\n]+/, "").replace(/[\r\n]+$/, "");
    const [head = "", ...rest] = text.split("\r\n\r\n");
    const lines = rest.length === 0 ? [] : head.split("\r\n").filter((line) => line.includes(": "));
    const Headers = Object.fromEntries(
      lines.map((line) => [line.split(": ")[0], [line.split(": ").slice(1).join(": ")]]),
    );
    const Body = rest.length === 0 ? text : rest.join("\r\n\r\n");
    return {
      Headers,
      Body,
      Size: Buffer.byteLength(text),
      MIME: goParts(Headers["Content-Type"]?.[0], Body),
    };
  });
  return { Parts: Parts.length === 0 ? null : Parts };
}

/** As aws-sdk-go marshals by default: empty values are NULL. */
function marshal(value: unknown): AttributeValue {
  if (typeof value === "number") return { N: String(value) };
  if (typeof value === "string" && value !== "") return { S: value };
  if (Array.isArray(value) && value.length > 0) return { L: value.map(marshal) };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { NULL: true };
  const entries = Object.entries(value).map(([name, each]) => [name, marshal(each)] as const);
  return entries.length === 0 ? { NULL: true } : { M: Object.fromEntries(entries) };
}

export function goItem(received: Remembered, ttlSeconds: number): Item {
  const Msg = marshal({ ...goMessage(received), ID: received.id.slice(20) });
  return {
    CreatedDate: { S: new Date(received.created).toISOString().slice(0, 10) },
    ID: { S: received.id },
    Expires: { N: String(Math.floor(received.created / 1000) + ttlSeconds) },
    Msg,
  };
}

const nothing: AttributeValue = { NULL: true };

/** Kinds of damaged rows. `readable` ones are still messages, with something missing. */
const damages: Readonly<
  Record<string, { readonly readable: boolean; readonly change: (item: Item) => Item }>
> = {
  "no message": { readable: false, change: ({ Msg: _gone, ...rest }) => rest },
  "a message of another type": { readable: false, change: (item) => ({ ...item, Msg: { S: "x" } }) },
  "a message that is NULL": { readable: false, change: (item) => ({ ...item, Msg: nothing }) },
  "no raw data": { readable: false, change: (item) => within(item, { Raw: undefined }) },
  "raw data that is NULL": { readable: false, change: (item) => within(item, { Raw: nothing }) },
  "no expiry": { readable: false, change: ({ Expires: _gone, ...rest }) => rest },
  "an expiry that is a string": {
    readable: false,
    change: (item) => ({ ...item, Expires: { S: "9999999999" } }),
  },
  "an invalid id": { readable: false, change: (item) => ({ ...item, ID: { S: `x${item["ID"]?.S}` } }) },
  "an id with too few digits": {
    readable: false,
    change: (item) => ({ ...item, ID: { S: item["ID"]?.S?.slice(1) ?? "" } }),
  },
  "an id without a bar": {
    readable: false,
    change: (item) => ({ ...item, ID: { S: item["ID"]?.S?.replace("|", "/") ?? "" } }),
  },
  "an id of digits only": {
    readable: false,
    change: (item) => ({ ...item, ID: { S: item["ID"]?.S?.slice(0, 19) ?? "" } }),
  },
  "no content": { readable: true, change: (item) => within(item, { Content: undefined }) },
  "headers of another type": {
    readable: true,
    change: (item) =>
      within(item, { Content: { M: { Headers: { L: [] }, Body: { N: "1" }, Size: { S: "x" } } } }),
  },
  "headers without values": {
    readable: true,
    change: (item) =>
      within(item, { Content: { M: { Headers: { M: { From: nothing, To: { L: [nothing] } } } } } }),
  },
  "parts of another type": {
    readable: true,
    change: (item) => within(item, { MIME: { M: { Parts: { L: [nothing, { S: "x" }, { M: {} }] } } } }),
  },
  "recipients of another type": {
    readable: true,
    change: (item) => within(item, { To: { SS: ["a", "b"] } }),
  },
  "no creation time": { readable: true, change: (item) => within(item, { Created: undefined }) },
  "unknown attributes": { readable: true, change: (item) => ({ ...item, Extra: { BOOL: true } }) },
};

function within(item: Item, changes: Readonly<Record<string, AttributeValue | undefined>>): Item {
  const entries = Object.entries({ ...item["Msg"]?.M, ...changes });
  const known = entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return { ...item, Msg: { M: Object.fromEntries(known) } };
}

/** A row of a table that several programs have written. */
export interface Row {
  readonly by: "go" | "us" | "damaged";
  readonly envelope: Envelope;
  readonly raw: Buffer;
  /** Milliseconds after the row before. */
  readonly afterMs: number;
  /** How it is damaged, if it is. */
  readonly damage: string;
}

export const rows: fc.Arbitrary<readonly Row[]> = fc.array(
  fc.record({
    by: fc.constantFrom("go" as const, "us" as const, "damaged" as const),
    envelope,
    // The Go package cannot store what is not UTF-8.
    raw: rawMessage(false).map((raw) => Buffer.from(raw.toString("utf8"))),
    afterMs: fc.oneof(fc.constantFrom(0, 1, 1000), fc.integer({ min: 1, max: 2 * 86_400_000 })),
    damage: fc.constantFrom(...Object.keys(damages)),
  }),
  { minLength: 1, maxLength: 14 },
);

/** The damaged form of an item, and whether it still is a message. */
export function damaged(item: Item, damage: string): { readonly item: Item; readonly readable: boolean } {
  const found = damages[damage];
  return found === undefined
    ? { item, readable: true }
    : { item: found.change(item), readable: found.readable };
}
