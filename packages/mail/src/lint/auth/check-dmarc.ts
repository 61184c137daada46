import { tagsOf } from "./verify-dkim.ts";
import type { Zone } from "./zone.ts";

/** The DMARC policy of a domain. */
export interface DmarcPolicy {
  /** The domain that publishes it. */
  readonly domain: string;
  readonly policy: string;
  readonly strictDkim: boolean;
  readonly strictSpf: boolean;
}

/** Maximum number of names that a walk up the tree looks up. */
const maxNames = 8;

/** The domain and its parents, the nearest first. Long names skip from the full name to their last seven labels. */
function* upwards(domain: string): Generator<string> {
  const labels = domain
    .toLowerCase()
    .split(".")
    .filter((label) => label !== "");
  yield labels.join(".");
  for (let count = Math.min(labels.length - 1, maxNames - 1); count > 0; count--)
    yield labels.slice(-count).join(".");
}

function recordAt(zone: Zone, name: string): Map<string, string> | undefined {
  const records = zone.txt(`_dmarc.${name}`).filter((text) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text));
  return records.length === 1 ? tagsOf(records[0] ?? "") : undefined;
}

/** The policy of a domain: its own, or that of its organizational domain. */
export function dmarcPolicy(zone: Zone, domain: string): DmarcPolicy | undefined {
  const found = [domain.toLowerCase(), organizationOf(zone, domain)].find(
    (name) => recordAt(zone, name) !== undefined,
  );
  const tags = found === undefined ? undefined : recordAt(zone, found);
  if (found === undefined || tags === undefined) return undefined;
  const isOwn = found === domain.toLowerCase();
  return {
    domain: found,
    policy: ((isOwn ? undefined : tags.get("sp")) ?? tags.get("p") ?? "none").toLowerCase(),
    strictDkim: tags.get("adkim") === "s",
    strictSpf: tags.get("aspf") === "s",
  };
}

/**
 * The organizational domain by a walk up the tree (DMARCbis, section 4.10): the highest name with a DMARC record, or the one below a
 * record with `psd=y`. It needs no list of public suffixes.
 */
function organizationOf(zone: Zone, domain: string): string {
  let highest = domain.toLowerCase();
  let below = highest;
  for (const name of upwards(domain)) {
    const psd = recordAt(zone, name)?.get("psd");
    if (psd === "n") return name;
    if (psd === "y" && name !== domain.toLowerCase()) return below;
    if (recordAt(zone, name) !== undefined) highest = name;
    below = name;
  }
  return highest;
}

/** Whether two domains are aligned: equal or, unless strict, of one organization. */
export function isAligned(zone: Zone, one: string, other: string, strict: boolean): boolean {
  if (one.toLowerCase() === other.toLowerCase()) return true;
  return !strict && organizationOf(zone, one) === organizationOf(zone, other);
}
