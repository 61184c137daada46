import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Clock, isDynamoError, type Logger } from "@tablekeep/core";
import { type AccessKeys, verifySignature } from "../../../auth/verify-signature.ts";
import type { Access, HttpExchange } from "../../../http/http-route.ts";
import { readBody } from "../../../http/requests.ts";
import { bodyLimit, type SendOptions } from "../send-routes.ts";
import { SesError } from "./ses-error.ts";

/** Dependencies of SES's API. */
export interface SesOptions extends SendOptions {
  /** Secret keys by access key id; requests must be signed with one of them. @default none: any credentials are accepted */
  readonly accessKeys?: AccessKeys;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Signatures replace other authentication, if the server has keys. */
export function sesAccess({ accessKeys }: SesOptions): Access {
  return accessKeys === undefined ? "users" : "keys";
}

/** Reads a body and verifies its signature. */
export async function signedBody(
  { request }: HttpExchange,
  { accessKeys, clock, maxMessageBytes }: SesOptions,
): Promise<Buffer> {
  const body = await readBody(request, bodyLimit(maxMessageBytes));
  try {
    if (accessKeys !== undefined)
      verifySignature(request, body, { accessKeys, nowMs: clock.now(), services: ["ses"] });
  } catch (error) {
    if (!isDynamoError(error)) throw error;
    // Signatures are checked alike for all services of AWS, with the same names of errors.
    throw new SesError(error.details.exception, 403, error.details.serviceMessage ?? error.message);
  }
  return body;
}

/** Sends a response in AWS's form. */
export function sendAws(
  response: ServerResponse,
  status: number,
  { type, text, headers = {} }: { type: string; text: string; headers?: Readonly<Record<string, string>> },
): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "x-amzn-requestid": randomUUID(),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(text);
}
