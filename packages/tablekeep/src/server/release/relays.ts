import { readFileSync } from "node:fs";
import { type ErrorKind, nameErrors, TablekeepError } from "@tablekeep/core";
import { jsonFileReason } from "../file-reason.ts";

/** Reasons why a message was not released, by code. */
export interface ReleaseErrorDetails {
  /** The relays file cannot be read or is invalid. */
  RELEASE_RELAYS_INVALID: { path: string; reason: string };
  /** The relay is not configured. */
  RELEASE_RELAY_UNKNOWN: Record<never, never>;
  /** The relay's name resolves to a forbidden address. */
  RELEASE_ADDRESS_REFUSED: { relay: string; address: string };
  /** The recipient is missing or invalid. */
  RELEASE_RECIPIENT_INVALID: Record<never, never>;
  /** The relay rejected the message: it was not sent. */
  RELEASE_REFUSED: { relay: string; responseCode: number };
  /** The relay is unreachable or did not respond: ambiguous if the message may have been sent. */
  RELEASE_FAILED: { relay: string };
}

export type ReleaseErrorCode = keyof ReleaseErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const releaseErrorKinds: Readonly<Record<ReleaseErrorCode, ErrorKind>> = {
  RELEASE_RELAYS_INVALID: "invalid",
  RELEASE_RELAY_UNKNOWN: "denied",
  RELEASE_ADDRESS_REFUSED: "denied",
  RELEASE_RECIPIENT_INVALID: "invalid",
  RELEASE_REFUSED: "invalid",
  RELEASE_FAILED: "unavailable",
};

/** Additional fields of such an error. */
export interface ReleaseErrorExtra {
  readonly retryable?: boolean;
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** A message that was not released, or may not have been. */
export class ReleaseError<Code extends ReleaseErrorCode = ReleaseErrorCode> extends TablekeepError<
  Code,
  ReleaseErrorDetails[Code]
> {
  static {
    nameErrors(ReleaseError, "ReleaseError");
  }

  constructor(
    code: Code,
    message: string,
    details: ReleaseErrorDetails[Code],
    extra: ReleaseErrorExtra = {},
  ) {
    super({ code, kind: releaseErrorKinds[code], message, details, ...extra });
  }
}

/** A server that messages may be released to. */
export interface Relay {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  /** @default the strongest mechanism that the relay offers */
  readonly mechanism?: "PLAIN" | "LOGIN" | "CRAM-MD5";
  /** The default recipient. @default none */
  readonly email?: string;
  /** Whether the connection begins with TLS. @default false: TLS is used where the relay offers it */
  readonly implicitTls?: boolean;
  /** Whether the name may resolve to a private address. Ignored for a host that is such an address itself. @default false */
  readonly allowPrivate?: boolean;
}

/** Relays by their names. */
export type Relays = ReadonlyMap<string, Relay>;

const mechanisms: Readonly<Record<string, Relay["mechanism"]>> = {
  "": undefined,
  PLAIN: "PLAIN",
  LOGIN: "LOGIN",
  CRAMMD5: "CRAM-MD5",
  "CRAM-MD5": "CRAM-MD5",
};

/** Reads MailHog's file of outgoing servers: an object of `{ Host, Port, Username, Password, Mechanism, Email }` by name. */
export function readRelaysFile(path: string): Relays {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw invalid(path, jsonFileReason(error), error);
  }
  return parseRelays(document, path);
}

/** Parses the relays of such a document. Errors never contain secrets. */
export function parseRelays(document: unknown, path: string): Relays {
  if (!isRecord(document)) throw invalid(path, "it must be an object of relays by name");
  return new Map(
    Object.entries(document).map(([name, value]) => [name, relayOf(name, value, path)] as const),
  );
}

function relayOf(name: string, value: unknown, path: string): Relay {
  if (!isRecord(value)) throw invalid(path, `relay ${JSON.stringify(name)} must be an object`);
  // MailHog is written in Go, where these names are case-insensitive.
  const fields = new Map(Object.entries(value).map(([key, field]) => [key.toLowerCase(), field] as const));
  const text = (key: string): string => {
    const field = fields.get(key) ?? "";
    if (typeof field === "string") return field;
    throw invalid(path, `${key} of relay ${JSON.stringify(name)} must be a string`);
  };
  const host = text("host");
  const port = Number(fields.get("port") ?? 25);
  const mechanism = text("mechanism").toUpperCase();
  const wrong = (field: string, must: string) =>
    invalid(path, `${field} of relay ${JSON.stringify(name)} must be ${must}`);
  if (!/^[\w.:-]+$/.test(host)) throw wrong("Host", "a host name or an IP address");
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw wrong("Port", "an integer from 1 to 65535");
  if (!Object.hasOwn(mechanisms, mechanism)) throw wrong("Mechanism", "PLAIN, LOGIN or CRAM-MD5");
  return {
    name,
    host,
    port,
    username: text("username") || undefined,
    password: text("password") || undefined,
    mechanism: mechanisms[mechanism],
    email: text("email") || undefined,
    implicitTls: fields.get("implicittls") === true,
    allowPrivate: fields.get("allowprivate") === true,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(path: string, reason: string, cause?: unknown): ReleaseError {
  return new ReleaseError(
    "RELEASE_RELAYS_INVALID",
    `cannot read relays from ${path}: ${reason}`,
    { path, reason },
    { cause },
  );
}
