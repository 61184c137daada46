import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DynamoError, type DynamoExceptionName } from "@tablekeep/core";

/** The content of an `Authorization` header of Signature Version 4. */
interface Authorization {
  readonly accessKeyId: string;
  /** Day, region, service and terminator: `20260102/us-east-1/dynamodb/aws4_request`. */
  readonly scope: readonly [day: string, region: string, service: string, terminator: string];
  /** In the order in which they were signed. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `20260102T030405Z` */
  readonly date: string;
}

/** Parses the header, or throws DynamoDB's exception for it. */
function readAuthorization(request: IncomingMessage, services: readonly string[]): Authorization {
  const header = request.headers.authorization;
  if (header === undefined || !header.startsWith("AWS4-HMAC-SHA256 ")) {
    throw signatureError("MissingAuthenticationTokenException", "Request is missing Authentication Token");
  }
  const { Credential = "", Signature = "", SignedHeaders = "" } = parametersOf(header);
  const date = request.headers["x-amz-date"];
  if (Credential === "" || Signature === "" || SignedHeaders === "" || typeof date !== "string") {
    throw incomplete({ Credential, Signature, SignedHeaders }, typeof date === "string");
  }
  const [accessKeyId = "", ...scope] = Credential.split("/");
  if (!isScope(scope)) {
    throw signatureError(
      "IncompleteSignatureException",
      `Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '${Credential}'`,
    );
  }
  const signedHeaders = SignedHeaders.toLowerCase().split(";");
  checkSigned(request, signedHeaders);
  checkScope(scope, date, services);
  return { accessKeyId, scope, signedHeaders, signature: Signature, date };
}

/** The access key id of a signed request. */
export function accessKeyOf({ headers }: IncomingMessage): string | undefined {
  return /\bCredential=([^/,\s]+)\//.exec(headers.authorization ?? "")?.[1];
}

/** An exception about a signature, with DynamoDB's wording. */
function signatureError(exception: DynamoExceptionName, serviceMessage: string): DynamoError {
  return new DynamoError({ exception, serviceMessage });
}

function parametersOf(header: string): Partial<Record<string, string>> {
  const pairs = header
    .slice(header.indexOf(" "))
    .split(/[, ]+/)
    .flatMap((text) => {
      const at = text.indexOf("=");
      return at === -1 ? [] : [[text.slice(0, at), text.slice(at + 1)] as const];
    });
  return Object.fromEntries(pairs);
}

/** Lists what is missing; the header itself is not repeated, because responses may be logged. */
function incomplete(parameters: Readonly<Record<string, string>>, hasDate: boolean): DynamoError {
  const missing = Object.entries(parameters)
    .filter(([, value]) => value === "")
    .map(([name]) => `Authorization header requires '${name}' parameter.`);
  if (!hasDate) missing.push("Authorization header requires existence of an 'X-Amz-Date' header.");
  return signatureError("IncompleteSignatureException", missing.join(" "));
}

/** Headers that must be signed, because they could be changed in transit: the host, the date, and every header that AWS defines. */
function checkSigned(request: IncomingMessage, signed: readonly string[]): void {
  const meaningful = Object.keys(request.headers).filter((name) => name.startsWith("x-amz-"));
  const unsigned = ["host", ...meaningful].filter((name) => !signed.includes(name));
  if (unsigned.length === 0) return;
  throw signatureError(
    "InvalidSignatureException",
    `There were headers present in the request which were not signed: ${unsigned.join(", ")}`,
  );
}

function checkScope(scope: Authorization["scope"], date: string, services: readonly string[]): void {
  const [day, , service, terminator] = scope;
  const faults = [
    ...(services.includes(service)
      ? []
      : [`Credential should be scoped to correct service: '${services[0]}'.`]),
    ...(terminator === "aws4_request"
      ? []
      : ["Credential should be scoped with a valid terminator: 'aws4_request'."]),
    ...(date.startsWith(day)
      ? []
      : [
          `Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '${day}' != '${date.slice(0, 8)}'.`,
        ]),
  ];
  if (faults.length > 0) throw signatureError("InvalidSignatureException", faults.join(" "));
}

function isScope(parts: string[]): parts is [string, string, string, string] {
  return parts.length === 4 && parts.every((part) => part !== "");
}

/** Secret access keys by access key id. */
export type AccessKeys = Readonly<Record<string, string>>;

/** AWS: Signature Version 4 — the maximum difference between the clocks of client and server. */
const maxSkewMs = 5 * 60 * 1000;

/** What a signature is verified against. */
export interface SignatureCheck {
  readonly accessKeys: AccessKeys;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The names of the service: the signature must be for one of them. @default "dynamodb" */
  readonly services?: readonly string[];
}

/**
 * Throws DynamoDB's exception unless the request has a current signature (Signature Version 4) with a known key. `body` is
 * the body as sent, before decompression.
 */
export function verifySignature(
  request: IncomingMessage,
  body: Buffer,
  { accessKeys, nowMs, services = ["dynamodb"] }: SignatureCheck,
): void {
  const authorization = readAuthorization(request, services);
  const { accessKeyId, date, signature } = authorization;
  const secret = Object.hasOwn(accessKeys, accessKeyId) ? accessKeys[accessKeyId] : undefined;
  if (secret === undefined) {
    throw signatureError(
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
    );
  }
  checkDate(date, nowMs);
  if (!sameText(signatureOf(request, body, authorization, secret), signature)) {
    throw signatureError(
      "InvalidSignatureException",
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
    );
  }
}

function checkDate(date: string, nowMs: number): void {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  const sentMs = iso === date ? Number.NaN : Date.parse(iso);
  if (Math.abs(sentMs - nowMs) <= maxSkewMs) return;
  const [now, earliest, latest] = [nowMs, nowMs - maxSkewMs, nowMs + maxSkewMs].map(stamp);
  if (sentMs < nowMs) {
    throw signatureError(
      "InvalidSignatureException",
      `Signature expired: ${date} is now earlier than ${earliest} (${now} - 5 min.)`,
    );
  }
  if (sentMs > nowMs) {
    throw signatureError(
      "InvalidSignatureException",
      `Signature not yet current: ${date} is still later than ${latest} (${now} + 5 min.)`,
    );
  }
  throw signatureError(
    "IncompleteSignatureException",
    "Date must be in ISO-8601 'basic format'. See http://en.wikipedia.org/wiki/ISO_8601",
  );
}

/** `20260102T030405Z` */
function stamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}

function signatureOf(
  request: IncomingMessage,
  body: Buffer,
  { scope, signedHeaders, date }: Authorization,
  secret: string,
): string {
  const headers = signedHeaders.map((name) => `${name}:${headerText(request, name)}\n`).join("");
  const [path, query] = targetOf(request.url ?? "/");
  const canonical = [request.method, path, query, headers, signedHeaders.join(";"), sha256(body)].join("\n");
  const text = ["AWS4-HMAC-SHA256", date, scope.join("/"), sha256(canonical)].join("\n");
  return hmac(signingKey(scope, secret), text).toString("hex");
}

/** The keys of the last scopes. One is used for a day, and deriving it takes longer than everything else. */
const signingKeys = new Map<string, KeyObject>();
const maxSigningKeys = 1_000;

function signingKey(scope: readonly string[], secret: string): KeyObject {
  const name = JSON.stringify([secret, ...scope]);
  let key = signingKeys.get(name);
  if (key === undefined) {
    const bytes = scope.reduce<Buffer>((parent, part) => hmac(parent, part), Buffer.from(`AWS4${secret}`));
    key = createSecretKey(bytes);
    if (signingKeys.size >= maxSigningKeys) signingKeys.clear();
    signingKeys.set(name, key);
  }
  return key;
}

/** Path and query as they are signed: the path encoded once more, the query in order. */
function targetOf(url: string): [path: string, query: string] {
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const query =
    mark === -1
      ? ""
      : url
          .slice(mark + 1)
          .split("&")
          .toSorted()
          .join("&");
  return [path.split("/").map(encoded).join("/"), query];
}

function encoded(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function headerText(request: IncomingMessage, name: string): string {
  const values = request.headersDistinct[name] ?? [];
  return values.map((value) => value.trim().replace(/ +/g, " ")).join(",");
}

function sha256(data: string | Buffer): string {
  return hash("sha256", data, "hex");
}

function hmac(key: KeyObject | Buffer, data: string): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

function sameText(one: string, two: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(two)];
  return left.length === right.length && timingSafeEqual(left, right);
}
