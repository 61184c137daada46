import type { IncomingMessage } from "node:http";
import { DynamoError, type DynamoExceptionName } from "@tablekeep/core";

/** What the `Authorization` header of Signature Version 4 says. */
export interface Authorization {
  readonly accessKeyId: string;
  /** Day, region, service and terminator: `20260102/us-east-1/dynamodb/aws4_request`. */
  readonly scope: readonly [day: string, region: string, service: string, terminator: string];
  /** In the order in which they were signed. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `20260102T030405Z` */
  readonly date: string;
}

/** Reads the header, or throws the refusal that DynamoDB has for it. */
export function readAuthorization(request: IncomingMessage, services: readonly string[]): Authorization {
  const header = request.headers.authorization;
  if (header === undefined || !header.startsWith("AWS4-HMAC-SHA256 ")) {
    throw refused("MissingAuthenticationTokenException", "Request is missing Authentication Token");
  }
  const { Credential = "", Signature = "", SignedHeaders = "" } = parametersOf(header);
  const date = request.headers["x-amz-date"];
  if (Credential === "" || Signature === "" || SignedHeaders === "" || typeof date !== "string") {
    throw incomplete({ Credential, Signature, SignedHeaders }, typeof date === "string");
  }
  const [accessKeyId = "", ...scope] = Credential.split("/");
  if (!isScope(scope)) {
    throw refused(
      "IncompleteSignatureException",
      `Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '${Credential}'`,
    );
  }
  const signedHeaders = SignedHeaders.toLowerCase().split(";");
  checkSigned(request, signedHeaders);
  checkScope(scope, date, services);
  return { accessKeyId, scope, signedHeaders, signature: Signature, date };
}

/** A refusal by signature, in DynamoDB's words. */
export function refused(exception: DynamoExceptionName, serviceMessage: string): DynamoError {
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

/** Names what is missing; the header itself is not repeated, because answers may be logged. */
function incomplete(parameters: Readonly<Record<string, string>>, hasDate: boolean): DynamoError {
  const missing = Object.entries(parameters)
    .filter(([, value]) => value === "")
    .map(([name]) => `Authorization header requires '${name}' parameter.`);
  if (!hasDate) missing.push("Authorization header requires existence of an 'X-Amz-Date' header.");
  return refused("IncompleteSignatureException", missing.join(" "));
}

/** What is not signed could be changed on the way: who is called, when, and everything that AWS gives a meaning. */
function checkSigned(request: IncomingMessage, signed: readonly string[]): void {
  const meaningful = Object.keys(request.headers).filter((name) => name.startsWith("x-amz-"));
  const unsigned = ["host", ...meaningful].filter((name) => !signed.includes(name));
  if (unsigned.length === 0) return;
  throw refused(
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
  if (faults.length > 0) throw refused("InvalidSignatureException", faults.join(" "));
}

function isScope(parts: string[]): parts is [string, string, string, string] {
  return parts.length === 4 && parts.every((part) => part !== "");
}
