import { isIP } from "node:net";

/** The sender of a message, for SPF. */
export interface SpfSender {
  /** The address of the client. */
  readonly ip: string;
  /** The address of MAIL FROM; that of postmaster at the HELO name for a null sender. */
  readonly from: string;
  /** The name of HELO or EHLO. */
  readonly helo: string;
}

/** The values of the macros in a name. */
export interface MacroValues extends SpfSender {
  /** The domain whose record is evaluated. */
  readonly domain: string;
  /** Returns the name of the client, as its address and DNS agree on it; `unknown` if there is none. */
  clientName(): string;
}

/** Macros of names and of the values of unknown modifiers: those with `c`, `r` and `t` are for explanations only. */
const macros = /%(?:%|_|-|\{([slodiphv])(\d*)(r?)([.+,/_=-]*)\})/gi;

/** The longest name that is looked up. */
const maxName = 253;

/** Whether all macros of a text are well formed. */
export function areMacros(text: string): boolean {
  for (const [, letter, digits = ""] of text.matchAll(macros))
    if (letter !== undefined && digits !== "" && Number(digits) === 0) return false;
  return !text.replaceAll(macros, "").includes("%");
}

/** Expands the macros of a name (RFC 7208, section 7); undefined if one is malformed. */
export function expandMacros(text: string, values: MacroValues): string | undefined {
  if (!areMacros(text)) return undefined;
  const expanded = text.replaceAll(macros, (all, letter, digits, reverse, separators) => {
    if (all === "%%") return "%";
    if (all === "%_") return " ";
    if (all === "%-") return "%20";
    const value = macroValue(String(letter).toLowerCase(), values);
    const split = new RegExp(`[${separators === "" ? "." : String(separators).replaceAll(/[-/]/g, "\\$&")}]`);
    let parts = value.split(split);
    if (reverse !== "") parts = parts.toReversed();
    if (digits !== "") parts = parts.slice(-Number(digits));
    const joined = parts.join(".");
    return letter === String(letter).toLowerCase() ? joined : encodeURIComponent(joined);
  });
  return shortened(expanded);
}

/** Labels of a name that is too long are removed from the left. */
function shortened(name: string): string {
  const over = name.length - maxName;
  return over <= 0 ? name : name.slice(name.indexOf(".", over - 1) + 1);
}

function macroValue(letter: string, values: MacroValues): string {
  const { ip, from, helo, domain } = values;
  const at = from.lastIndexOf("@");
  switch (letter) {
    case "s":
      return from;
    case "l":
      return at > 0 ? from.slice(0, at) : "postmaster";
    case "o":
      return from.slice(at + 1);
    case "d":
      return domain;
    case "i":
      return isIP(ip) === 6 ? hexOf(ip).split("").join(".") : ip;
    case "h":
      return helo;
    case "v":
      return isIP(ip) === 6 ? "ip6" : "in-addr";
    default:
      return values.clientName();
  }
}

/** The IPv4 address in an IPv6 address that stands for one (`::ffff:192.0.2.1`); others as they are. */
export function unmapped(ip: string): string {
  const hex = isIP(ip) === 6 ? hexOf(ip) : "";
  if (!/^0{20}ffff/i.test(hex)) return ip;
  return Buffer.from(hex.slice(24), "hex").join(".");
}

/** The name whose PTR records have the names of an address. */
export function reverseName(ip: string): string {
  if (isIP(ip) === 6) return `${hexOf(ip).split("").toReversed().join(".")}.ip6.arpa`;
  return `${ip.split(".").toReversed().join(".")}.in-addr.arpa`;
}

/** The 32 hexadecimal digits of an IPv6 address. */
function hexOf(ip: string): string {
  const plain = ip.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = "", tail] = plain.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last].map((group) => group.padStart(4, "0")).join("");
}
