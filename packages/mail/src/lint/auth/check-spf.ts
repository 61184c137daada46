import { BlockList, isIP } from "node:net";
import { expandMacros, type SpfSender } from "./spf-macros.ts";
import type { Zone } from "./zone.ts";

export type SpfResult = "pass" | "fail" | "softfail" | "neutral" | "none" | "permerror";

/** Limits of RFC 7208, section 4.6.4. */
const maxLookups = 10;
const maxVoidLookups = 2;
const maxHosts = 10;

/** Ends an evaluation: the record is not valid, or needs too many lookups. */
class SpfError extends Error {}

interface Evaluation {
  readonly zone: Zone;
  readonly sender: SpfSender;
  lookups: number;
  voids: number;
}

const qualifiers: Readonly<Record<string, SpfResult>> = {
  "+": "pass",
  "-": "fail",
  "~": "softfail",
  "?": "neutral",
};

/** Evaluates the SPF record of a domain (RFC 7208) with the records of a zone. `ptr` never matches. */
export function checkSpf(zone: Zone, domain: string, sender: SpfSender): SpfResult {
  try {
    return evaluate({ zone, sender, lookups: 0, voids: 0 }, domain);
  } catch (error) {
    if (error instanceof SpfError) return "permerror";
    throw error;
  }
}

function evaluate(run: Evaluation, domain: string): SpfResult {
  const records = run.zone.txt(domain).filter((text) => /^v=spf1(?: |$)/i.test(text));
  const [record] = records;
  if (record === undefined) return "none";
  if (records.length > 1) throw new SpfError("several records");
  const modifiers = new Map<string, string>();
  const mechanisms: string[] = [];
  for (const term of record
    .split(/ +/)
    .slice(1)
    .filter((each) => each !== "")) {
    const [, named, value = ""] = /^([a-z][\w.-]*)=(.*)$/i.exec(term) ?? [];
    const name = named?.toLowerCase();
    if (name === undefined) mechanisms.push(term);
    else if (modifiers.has(name) && /^(?:redirect|exp)$/.test(name)) invalid("repeated modifier");
    else modifiers.set(name, value);
  }
  const redirect = modifiers.get("redirect");
  const parsed = mechanisms.map(parseMechanism);
  for (const mechanism of parsed) if (matches(run, mechanism, domain)) return mechanism.result;
  if (redirect === undefined || parsed.some(({ name }) => name === "all")) return "neutral";
  countLookup(run);
  const result = evaluate(run, expandMacros(redirect, domain, run.sender) ?? invalid("redirect"));
  return result === "none" ? invalid("redirect without a record") : result;
}

function invalid(reason: string): never {
  throw new SpfError(reason);
}

interface Mechanism {
  readonly result: SpfResult;
  readonly name: string;
  /** The part after the colon; "" if there is none. */
  readonly value: string;
  readonly bits4: number;
  readonly bits6: number;
}

/** The whole record is checked before any of it is evaluated. */
function parseMechanism(term: string): Mechanism {
  const form =
    /^([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?::([^/\s]*))?(?:\/(\d{1,3}))?(?:\/\/(\d{1,3}))?$/i;
  const [, qualifier = "", name = "", value, bits4, bits6] = form.exec(term) ?? invalid(term);
  const kind = name.toLowerCase();
  const needsValue = /^(?:include|exists|ip4|ip6)$/.test(kind);
  if ((needsValue && !value) || (kind === "all" && value !== undefined) || value === "") invalid(term);
  const network4 = Number(bits4 ?? (kind === "ip6" ? 128 : 32));
  const network6 = Number(bits6 ?? 128);
  if (kind === "ip4" && isIP(value ?? "") !== 4) invalid(term);
  if (kind === "ip6" && isIP(value ?? "") !== 6) invalid(term);
  if (network4 > (kind === "ip6" ? 128 : 32) || network6 > 128) invalid(term);
  return {
    result: qualifiers[qualifier || "+"] ?? "pass",
    name: kind,
    value: value ?? "",
    bits4: network4,
    bits6: network6,
  };
}

function countLookup(run: Evaluation): void {
  if (++run.lookups > maxLookups) throw new SpfError("too many lookups");
}

function countVoid<Found extends { readonly length: number }>(run: Evaluation, found: Found): Found {
  if (found.length === 0 && ++run.voids > maxVoidLookups) throw new SpfError("too many void lookups");
  return found;
}

function matches(run: Evaluation, { name, value, bits4, bits6 }: Mechanism, domain: string): boolean {
  const { zone, sender } = run;
  if (name === "all") return true;
  if (name === "ip4" || name === "ip6") return isInNetwork(sender.ip, value, bits4);
  countLookup(run);
  if (name === "ptr") return false;
  const target = value === "" ? domain : (expandMacros(value, domain, sender) ?? invalid(value));
  if (name === "include") {
    const result = evaluate(run, target);
    if (result === "none") invalid("include without a record");
    return result === "pass";
  }
  if (name === "exists") return countVoid(run, zone.addresses(target)).some((address) => isIP(address) === 4);
  const hosts = name === "mx" ? countVoid(run, zone.mailServers(target)) : [target];
  if (hosts.length > maxHosts) invalid("too many hosts");
  return hosts.some((host) => {
    const addresses = name === "mx" ? zone.addresses(host) : countVoid(run, zone.addresses(host));
    return addresses.some((address) => isInNetwork(sender.ip, address, isIP(address) === 4 ? bits4 : bits6));
  });
}

function isInNetwork(ip: string, network: string, bits: number): boolean {
  const family = isIP(network);
  if (family === 0 || family !== isIP(ip)) return false;
  const list = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  list.addSubnet(network, bits, type);
  return list.check(ip, type);
}
