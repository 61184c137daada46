import { BlockList, isIP } from "node:net";
import { expandMacros, reverseName, type SpfSender, unmapped } from "./spf-macros.ts";
import { invalid, isSpf, type Mechanism, parseSpf, SpfError, type SpfResult } from "./spf-record.ts";
import type { Zone } from "./zone.ts";

/** Limits of RFC 7208, section 4.6.4. */
const maxLookups = 10;
const maxVoidLookups = 2;
const maxHosts = 10;

interface Evaluation {
  readonly zone: Zone;
  readonly sender: SpfSender;
  lookups: number;
  voids: number;
}

/** Evaluates the SPF record of a domain (RFC 7208) with the records of a zone. */
export function checkSpf(zone: Zone, domain: string, sender: SpfSender): SpfResult {
  try {
    return evaluate({ zone, sender: { ...sender, ip: unmapped(sender.ip) }, lookups: 0, voids: 0 }, domain);
  } catch (error) {
    if (error instanceof SpfError) return "permerror";
    throw error;
  }
}

function evaluate(run: Evaluation, domain: string): SpfResult {
  const [record, ...others] = run.zone.txt(domain).filter(isSpf);
  if (record === undefined) return "none";
  if (others.length > 0) invalid("several records");
  const { mechanisms, redirect } = parseSpf(record);
  for (const mechanism of mechanisms) if (matches(run, mechanism, domain)) return mechanism.result;
  if (redirect === undefined) return "neutral";
  countLookup(run);
  const result = evaluate(run, expand(run, redirect, domain) ?? invalid("redirect"));
  return result === "none" ? invalid("redirect without a record") : result;
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
  if (name === "ip4" || name === "ip6") return isInNetwork(sender.ip, value, name === "ip4" ? bits4 : bits6);
  countLookup(run);
  const target = value === "" ? domain : (expand(run, value, domain) ?? invalid(value));
  if (name === "ptr") return clientNames(run).some((each) => isWithin(each, target));
  if (name === "include") {
    const result = evaluate(run, target);
    if (result === "none") invalid("include without a record");
    return result === "pass";
  }
  const family = isIP(sender.ip);
  const addresses = (host: string, version: number) =>
    zone.addresses(host).filter((address) => isIP(address) === version);
  if (name === "exists") return countVoid(run, addresses(target, 4)).length > 0;
  const hosts = name === "mx" ? countVoid(run, zone.mailServers(target)) : [target];
  if (hosts.length > maxHosts) invalid("too many hosts");
  return hosts.some((host) => {
    const found = addresses(host, family);
    if (name === "a") countVoid(run, found);
    return found.some((address) => isInNetwork(sender.ip, address, family === 4 ? bits4 : bits6));
  });
}

function expand(run: Evaluation, text: string, domain: string): string | undefined {
  return expandMacros(text, { ...run.sender, domain, clientName: () => clientName(run, domain) });
}

/** The names of the client whose addresses include its own (RFC 7208, section 5.5). Further names are ignored. */
function clientNames({ zone, sender: { ip } }: Evaluation): readonly string[] {
  const bits = isIP(ip) === 4 ? 32 : 128;
  const names = zone.pointers(reverseName(ip)).slice(0, maxHosts);
  return names.filter((name) => zone.addresses(name).some((address) => isInNetwork(ip, address, bits)));
}

/** The domain itself if the client has that name, or a name within it, or any other (RFC 7208, section 7.3). */
function clientName(run: Evaluation, domain: string): string {
  const names = clientNames(run);
  const exact = names.find((name) => isSame(name, domain));
  return exact ?? names.find((name) => isWithin(name, domain)) ?? names[0] ?? "unknown";
}

function isWithin(name: string, domain: string): boolean {
  return isSame(name, domain) || plain(name).endsWith(`.${plain(domain)}`);
}

function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function isInNetwork(ip: string, network: string, bits: number): boolean {
  const family = isIP(network);
  if (family === 0 || family !== isIP(ip)) return false;
  const list = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  list.addSubnet(network, bits, type);
  return list.check(ip, type);
}
