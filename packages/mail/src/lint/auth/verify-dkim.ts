import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import type { LintedMessage } from "../read-linted.ts";
import { type Canonical, canonicalField, hashBody } from "./canonical.ts";
import type { Zone } from "./zone.ts";

/** The result of one signature. */
export interface DkimResult {
  readonly domain: string;
  readonly selector: string;
  /** Why it is invalid; undefined if it is valid. */
  readonly problem?: string;
}

/** The number of signatures of one message that are verified. */
const maxSignatures = 10;

/** Verifies the DKIM signatures of a message (RFC 6376, RFC 8301, RFC 8463). `now` is in milliseconds since 1970. */
export async function verifyDkim(message: LintedMessage, zone: Zone, now: number): Promise<DkimResult[]> {
  const signatures = message.top.fields
    .filter(({ name }) => name === "dkim-signature")
    .slice(0, maxSignatures);
  const results: DkimResult[] = [];
  for (const { value, start, end } of signatures) {
    const tags = tagsOf(value);
    const known = { domain: (tags.get("d") ?? "").toLowerCase(), selector: tags.get("s") ?? "" };
    const problem = await problemOf(message, tags, message.data.slice(start, end), zone, now);
    results.push({ ...known, ...(problem !== undefined && { problem }) });
  }
  return results;
}

/** Parses a list of tags: `a=1; b=2`. */
export function tagsOf(text: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0) tags.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return tags;
}

const withoutBlanks = (text: string) => text.replaceAll(/\s+/g, "");

async function problemOf(
  message: LintedMessage,
  tags: ReadonlyMap<string, string>,
  field: string,
  zone: Zone,
  now: number,
): Promise<string | undefined> {
  const unusable = signatureProblem(tags, now);
  if (unusable !== undefined) return unusable;
  const [algorithm = "", domain = "", selector = ""] = ["a", "d", "s"].map((tag) => tags.get(tag));
  const key = keyOf(zone.txt(`${selector}._domainkey.${domain}`), tags);
  if (typeof key === "string") return key;
  const [header, body] = formsOf(tags.get("c") ?? "");
  const hash = createHash("sha256");
  const limit = tags.has("l") ? Number(tags.get("l")) : Number.POSITIVE_INFINITY;
  await hashBody(hash, message.top.body, body, limit);
  if (hash.digest("base64") !== withoutBlanks(tags.get("bh") ?? ""))
    return "the body was changed after it was signed";
  const signed = Buffer.from(signedHeader(message, tags, field, header), "latin1");
  const signature = Buffer.from(withoutBlanks(tags.get("b") ?? ""), "base64");
  const holds = algorithm.startsWith("rsa")
    ? verify("sha256", signed, key, signature)
    : verify(null, createHash("sha256").update(signed).digest(), key, signature);
  return holds ? undefined : "the signed headers were changed, or the key is different";
}

/** The problem of the signature itself. */
function signatureProblem(tags: ReadonlyMap<string, string>, now: number): string | undefined {
  const missing = ["v", "a", "b", "bh", "d", "h", "s"].find((tag) => (tags.get(tag) ?? "") === "");
  if (missing !== undefined) return `the signature has no ${missing}=`;
  if (tags.get("v") !== "1") return "the signature has an unknown version";
  const algorithm = tags.get("a") ?? "";
  if (algorithm === "rsa-sha1") return "the signature uses SHA-1, which receivers reject (RFC 8301)";
  if (!/^(?:rsa|ed25519)-sha256$/.test(algorithm))
    return `the signature has the unknown algorithm ${algorithm}`;
  if (!signedNames(tags).includes("from")) return "the signature does not cover From";
  const [domain = "", identity] = [tags.get("d"), tags.get("i")];
  const identityDomain = identity?.slice(identity.lastIndexOf("@") + 1).toLowerCase();
  if (identityDomain !== undefined && !isWithin(identityDomain, domain.toLowerCase()))
    return `the identity ${identity} does not belong to ${domain}`;
  const expires = tags.get("x");
  if (expires !== undefined && Number(expires) * 1000 < now) return "the signature has expired";
  if (tags.has("l") && !/^\d{1,76}$/.test(tags.get("l") ?? "")) return "the signature has a malformed l=";
  const [header, body] = (tags.get("c") ?? "simple/simple").split("/");
  if (![header, body ?? "simple"].every((form) => form === "simple" || form === "relaxed"))
    return `the signature has the unknown canonicalization ${tags.get("c")}`;
  return undefined;
}

function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

function formsOf(text: string): readonly [header: Canonical, body: Canonical] {
  const [header, body] = text.split("/");
  return [header === "relaxed" ? "relaxed" : "simple", body === "relaxed" ? "relaxed" : "simple"];
}

function signedNames(tags: ReadonlyMap<string, string>): string[] {
  return withoutBlanks(tags.get("h") ?? "")
    .toLowerCase()
    .split(":");
}

/** DER of an Ed25519 key before its 32 bytes. */
const ed25519Head = Buffer.from("302a300506032b6570032100", "hex");
const shortestRsa = 1024;

/** The key of a record, or why there is none. */
function keyOf(records: readonly string[], tags: ReadonlyMap<string, string>): KeyObject | string {
  const [name, algorithm = ""] = [`${tags.get("s")}._domainkey.${tags.get("d")}`, tags.get("a")];
  const record = records.map(tagsOf).find((each) => each.has("p"));
  if (record === undefined) return `the zone has no key at ${name}`;
  if ((record.get("v") ?? "DKIM1") !== "DKIM1") return `the record at ${name} has an unknown version`;
  const bytes = Buffer.from(withoutBlanks(record.get("p") ?? ""), "base64");
  if (bytes.length === 0) return `the key at ${name} was revoked`;
  const kind = record.get("k") ?? "rsa";
  if (!algorithm.startsWith(`${kind}-`)) return `the key at ${name} has the unsupported type ${kind}`;
  const hashes = record.get("h");
  if (hashes !== undefined && !withoutBlanks(hashes).split(":").includes("sha256"))
    return `the key at ${name} does not allow SHA-256`;
  const services = withoutBlanks(record.get("s") ?? "*").split(":");
  if (!services.includes("*") && !services.includes("email")) return `the key at ${name} is not for mail`;
  const identity = tags.get("i")?.toLowerCase();
  const isStrict = withoutBlanks(record.get("t") ?? "")
    .split(":")
    .includes("s");
  const domain = tags.get("d")?.toLowerCase();
  if (isStrict && identity !== undefined && identity.slice(identity.lastIndexOf("@") + 1) !== domain)
    return `the key at ${name} does not allow subdomains`;
  const key =
    kind === "rsa"
      ? rsaKey(bytes)
      : bytes.length === 32
        ? spkiKey(Buffer.concat([ed25519Head, bytes]))
        : undefined;
  if (key === undefined) return `the key at ${name} is malformed`;
  const bits = key.asymmetricKeyDetails?.modulusLength ?? shortestRsa;
  return bits < shortestRsa ? `the key at ${name} has only ${bits} bits` : key;
}

function rsaKey(bytes: Buffer): KeyObject | undefined {
  return spkiKey(bytes) ?? derKey(bytes, "pkcs1");
}

function spkiKey(bytes: Buffer): KeyObject | undefined {
  return derKey(bytes, "spki");
}

function derKey(key: Buffer, type: "spki" | "pkcs1"): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: "der", type });
  } catch {
    return undefined;
  }
}

/** The bytes that the signature covers: headers from the last to the first, then the signature without its value. */
function signedHeader(
  { top, data }: LintedMessage,
  tags: ReadonlyMap<string, string>,
  field: string,
  form: Canonical,
): string {
  const left = new Map<string, string[]>();
  for (const { name, start, end } of top.fields)
    left.set(name, [...(left.get(name) ?? []), data.slice(start, end)]);
  const headers = signedNames(tags).flatMap((name) => {
    const last = left.get(name)?.pop();
    return last === undefined ? [] : canonicalField(last, form);
  });
  const own = canonicalField(field.replace(/([;:]\s*b\s*=)[^;]*/, "$1"), form).replace(/\r\n$/, "");
  return `${headers.join("")}${own}`;
}
