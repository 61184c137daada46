import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DynamoError, type DynamoExceptionName } from "@tablekeep/core";

/** Secret access keys by access key id. */
export type AccessKeys = Readonly<Record<string, string>>;

/** AWS: Signature Version 4 — how far the clocks of client and server may be apart. */
const maxSkewMs = 5 * 60 * 1000;

interface Authorization {
  readonly accessKeyId: string;
  /** `20260102/us-east-1/dynamodb/aws4_request` */
  readonly scope: string;
  readonly signedHeaders: string;
  readonly signature: string;
}

/** Throws DynamoDB's refusal unless the request is signed (Signature Version 4) with a known key, and now. */
export function verifySignature(
  request: IncomingMessage,
  body: Buffer,
  accessKeys: AccessKeys,
  nowMs: number,
): void {
  const authorization = readAuthorization(request.headers.authorization);
  const secret = Object.hasOwn(accessKeys, authorization.accessKeyId)
    ? accessKeys[authorization.accessKeyId]
    : undefined;
  if (secret === undefined) {
    throw refused("UnrecognizedClientException", "The security token included in the request is invalid.");
  }
  const date = String(request.headers["x-amz-date"] ?? "");
  checkDate(date, nowMs);
  const expected = signatureOf(request, body, authorization, date, secret);
  if (!sameText(expected, authorization.signature)) {
    throw refused(
      "InvalidSignatureException",
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
    );
  }
}

const form =
  /^AWS4-HMAC-SHA256 +Credential=([^/, ]+)\/([^, ]+)[, ]+SignedHeaders=([a-z0-9;-]+)[, ]+Signature=([0-9a-f]{64})$/;

function readAuthorization(header: string | undefined): Authorization {
  if (header === undefined) {
    throw refused("MissingAuthenticationTokenException", "Request is missing Authentication Token");
  }
  const [, accessKeyId, scope, signedHeaders, signature] = form.exec(header) ?? [];
  if (!accessKeyId || !scope || !signedHeaders || !signature || scope.split("/").length !== 4) {
    throw refused(
      "IncompleteSignatureException",
      "Authorization header requires Credential, SignedHeaders and Signature.",
    );
  }
  const names = signedHeaders.split(";");
  if (!names.includes("host") || !names.includes("x-amz-date")) {
    throw refused("IncompleteSignatureException", "'Host' and 'X-Amz-Date' must be signed headers.");
  }
  return { accessKeyId, scope, signedHeaders, signature };
}

function checkDate(date: string, nowMs: number): void {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const sentAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Math.abs(sentAt - nowMs) <= maxSkewMs) return;
  throw refused("InvalidSignatureException", `Signature expired or not yet current: ${date}`);
}

function signatureOf(
  request: IncomingMessage,
  body: Buffer,
  { scope, signedHeaders }: Authorization,
  date: string,
  secret: string,
): string {
  const headers = signedHeaders
    .split(";")
    .map((name) => `${name}:${headerText(request, name)}\n`)
    .join("");
  const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
  const canonical = [request.method, path, query, headers, signedHeaders, sha256(body)].join("\n");
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((parent, part) => hmac(parent, part), `AWS4${secret}`);
  return hmac(key, text).toString("hex");
}

function headerText(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value.join(",") : (value ?? "")).trim().replace(/ +/g, " ");
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

function sameText(one: string, two: string): boolean {
  return one.length === two.length && timingSafeEqual(Buffer.from(one), Buffer.from(two));
}

function refused(exception: DynamoExceptionName, serviceMessage: string): DynamoError {
  return new DynamoError({ exception, serviceMessage });
}
