import { isIP } from "node:net";
import { areMacros } from "./spf-macros.ts";

export type SpfResult = "pass" | "fail" | "softfail" | "neutral" | "none" | "permerror";

/** Ends an evaluation: a record is not valid, or needs too many lookups. */
export class SpfError extends Error {}

export function invalid(reason: string): never {
  throw new SpfError(reason);
}

/** A mechanism of a record. */
export interface Mechanism {
  readonly result: SpfResult;
  readonly name: "all" | "include" | "a" | "mx" | "ptr" | "ip4" | "ip6" | "exists";
  /** The address or the name with macros; "" if there is none. */
  readonly value: string;
  /** Bits of the network of IPv4 and of IPv6 addresses. */
  readonly bits4: number;
  readonly bits6: number;
}

export interface SpfRecord {
  readonly mechanisms: readonly Mechanism[];
  readonly redirect: string | undefined;
}

/** Whether a TXT record is an SPF record. */
export function isSpf(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text);
}

/** Parses a record (RFC 7208, section 12). All of it is checked before any of it is evaluated. */
export function parseSpf(record: string): SpfRecord {
  if (!/^[ -~]*$/.test(record)) invalid("a record has non-ASCII characters");
  const modifiers = new Map<string, string>();
  const mechanisms: Mechanism[] = [];
  for (const term of record.split(" ").slice(1)) {
    if (term === "") continue;
    const [, named, value = ""] = /^([a-z][\w.-]*)=(.*)$/i.exec(term) ?? [];
    if (named === undefined) mechanisms.push(parseMechanism(term));
    else addModifier(modifiers, named.toLowerCase(), value);
  }
  return { mechanisms, redirect: modifiers.get("redirect") };
}

function addModifier(modifiers: Map<string, string>, name: string, value: string): void {
  if (name !== "redirect" && name !== "exp") {
    if (!areMacros(value)) invalid(`${name}=${value}`);
    return;
  }
  if (modifiers.has(name) || !isDomain(value)) invalid(`${name}=${value}`);
  modifiers.set(name, value);
}

const qualifiers: Readonly<Record<string, SpfResult>> = {
  "+": "pass",
  "-": "fail",
  "~": "softfail",
  "?": "neutral",
};

/** The parts that may follow the name of a mechanism. A name may contain slashes, so networks are those at the end. */
const forms: Readonly<Record<string, RegExp>> = {
  all: /^$/,
  include: /^:(.+)$/,
  exists: /^:(.+)$/,
  ptr: /^(?::(.+))?$/,
  ip4: /^:([^/]+)(?:\/(0|[1-9]\d?))?$/,
  ip6: /^:([^/]+)(?:()\/(0|[1-9]\d{0,2}))?$/,
  a: /^(?::(.+?))?(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/,
  mx: /^(?::(.+?))?(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/,
};

function parseMechanism(term: string): Mechanism {
  const [, qualifier = "", named = "", rest = ""] = /^([+?~-]?)([a-z]+[46]?)(.*)$/i.exec(term) ?? [];
  const name = named.toLowerCase() as Mechanism["name"];
  const [, value = "", bits4, bits6] = forms[name]?.exec(rest) ?? invalid(term);
  const [network4, network6] = [Number(bits4 || 32), Number(bits6 ?? 128)];
  if (network4 > 32 || network6 > 128) invalid(term);
  const isAddress = name === "ip4" || name === "ip6";
  if (isAddress ? isIP(value) !== Number(name.at(-1)) : value !== "" && !isDomain(value)) invalid(term);
  return { result: qualifiers[qualifier] ?? "pass", name, value, bits4: network4, bits6: network6 };
}

/** Whether this is a `domain-spec`: it ends with a macro, or with a dot and a label that is not a number. */
function isDomain(text: string): boolean {
  if (!areMacros(text)) return false;
  return (
    /%(?:[%_-]|\{[^{}]*\})$/.test(text) ||
    /\.(?:(?=\d*[a-z])[a-z\d]+|[a-z\d]+-[a-z\d-]*[a-z\d])\.?$/i.test(text)
  );
}
