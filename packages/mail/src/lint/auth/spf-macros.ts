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

/** Expands the macros of a name (RFC 7208, section 7); undefined if one is malformed. */
export function expandMacros(text: string, domain: string, sender: SpfSender): string | undefined {
  if (/%(?![{%_-])|%\{(?![a-z]\d*r?[.+,/_=-]*\})/i.test(text)) return undefined;
  let isValid = true;
  const expanded = text.replaceAll(
    /%(?:%|_|-|\{([a-z])(\d*)(r?)([.+,/_=-]*)\})/gi,
    (all, letter, digits, reverse, separators) => {
      if (all === "%%") return "%";
      if (all === "%_") return " ";
      if (all === "%-") return "%20";
      const value = macroValue(String(letter).toLowerCase(), domain, sender);
      if (value === undefined || digits === "0") isValid = false;
      const split = new RegExp(
        `[${separators === "" ? "." : String(separators).replaceAll(/[-/]/g, "\\$&")}]`,
      );
      let parts = (value ?? "").split(split);
      if (reverse !== "") parts = parts.toReversed();
      if (digits !== "") parts = parts.slice(-Number(digits));
      return parts.join(".");
    },
  );
  return isValid ? expanded : undefined;
}

function macroValue(letter: string, domain: string, { ip, from, helo }: SpfSender): string | undefined {
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
    case "p":
      return "unknown";
    default:
      return undefined;
  }
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
