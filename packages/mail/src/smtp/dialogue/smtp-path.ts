import { isIPv4, isIPv6 } from "node:net";

/** An address of MAIL or RCPT with the parameters after it. */
export interface SmtpPath {
  readonly address: string;
  /** Names in capitals. A parameter without a value has the value "". */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Which command an address belongs to. */
export type PathKeyword = "FROM" | "TO";

/** Control characters of ASCII. Those beyond may come from addresses that are not UTF-8. */
const controls = /[^\P{Cc}\u0080-\u009f]/u;

/** A name before the brackets, as in a header. */
const displayName = /^(?:"(?:[^"\\]|\\.)*"|[^"<@=])*(?=<)/s;
/** An address in angle brackets, which may contain a quoted string, after any number of opening brackets. */
const inBrackets = /<+((?:"(?:[^"\\]|\\.)*"|[^">])*)>+(.*)/sy;
/** An address without brackets, up to a blank. */
const withoutBrackets = /([^\s<>]+)(?:\s+(.*))?$/sy;

/**
 * Parses the argument of MAIL or RCPT as senders write it: the keyword may be anywhere, brackets may be missing or
 * doubled, a name may precede them, and parameters may follow without a blank. Returns undefined if there is no address.
 */
export function parsePath(keyword: PathKeyword, text: string, addressBytes: number): SmtpPath | undefined {
  const at = text.toUpperCase().indexOf(`${keyword}:`);
  if (at === -1 || controls.test(text)) return undefined;
  const argument = text.slice(at + keyword.length + 1).trimStart();
  inBrackets.lastIndex = displayName.exec(argument)?.[0].length ?? 0;
  withoutBrackets.lastIndex = 0;
  const [, address, rest = ""] = inBrackets.exec(argument) ?? withoutBrackets.exec(argument) ?? [];
  if (address === undefined || Buffer.byteLength(address) > addressBytes) return undefined;
  return { address, parameters: parametersOf(rest) };
}

function parametersOf(text: string): ReadonlyMap<string, string> {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return new Map(
    words.map((word) => {
      const at = word.indexOf("=");
      return at === -1
        ? ([word.toUpperCase(), ""] as const)
        : ([word.slice(0, at).toUpperCase(), word.slice(at + 1)] as const);
    }),
  );
}

/** RFC 5321, 4.1.2: the whole argument, without blanks before the bracket, parameters after one blank each. */
const exactPath =
  /^(FROM|TO):<((?:"(?:[^"\\]|\\.)*"|[^">])*)>((?: [a-z0-9][a-z0-9-]*(?:=[!-<>-~\u0080-\uffff]+)?)*)$/i;

/** Limits of RFC 5321, 4.5.3.1, in bytes. */
const pathBytes = 254;
const localPartBytes = 64;
const domainBytes = 255;
/** RFC 1035, 2.3.4. */
const labelBytes = 63;

const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+";
const localPart = new RegExp(
  `^(?:${atom}(?:\\.${atom})*|"(?:[ !#-\\[\\]-~\\u0080-\\uffff]|\\\\[ -~])*")$`,
  "i",
);
const label = "[a-z0-9\\u0080-\\uffff](?:[a-z0-9\\u0080-\\uffff-]*[a-z0-9\\u0080-\\uffff])?";
const domain = new RegExp(`^${label}(?:\\.${label})*$`, "i");
const sourceRoute = new RegExp(`^@${label}(?:\\.${label})*(?:,@${label}(?:\\.${label})*)*:`, "i");

/** Parses the argument of MAIL or RCPT by the grammar of RFC 5321. Returns undefined if it does not match. */
export function parseStrictPath(keyword: PathKeyword, text: string): SmtpPath | undefined {
  const [, found, address, parameters = ""] = exactPath.exec(text) ?? [];
  if (found?.toUpperCase() !== keyword || address === undefined) return undefined;
  // Invalid UTF-8 was read as replacement characters.
  if (text.includes("\ufffd") || !isAddress(keyword, address)) return undefined;
  return { address, parameters: parametersOf(parameters) };
}

function isAddress(keyword: PathKeyword, address: string): boolean {
  if (address === "") return keyword === "FROM";
  if (keyword === "TO" && address.toLowerCase() === "postmaster") return true;
  if (Buffer.byteLength(address) > pathBytes) return false;
  const mailbox = address.replace(sourceRoute, "");
  const at = mailbox.lastIndexOf("@");
  const local = mailbox.slice(0, Math.max(0, at));
  return (
    at !== -1 &&
    Buffer.byteLength(local) <= localPartBytes &&
    localPart.test(local) &&
    isDomain(mailbox.slice(at + 1))
  );
}

/** Whether this is a domain or an address literal, which is also what HELO and EHLO expect. */
export function isDomain(text: string): boolean {
  const [, ipv6, ipv4] = /^\[(?:IPv6:([^\]]*)|([^\]]*))\]$/i.exec(text) ?? [];
  if (ipv6 !== undefined) return isIPv6(ipv6);
  if (ipv4 !== undefined) return isIPv4(ipv4);
  if (Buffer.byteLength(text) > domainBytes || !domain.test(text)) return false;
  return text.split(".").every((each) => Buffer.byteLength(each) <= labelBytes);
}
