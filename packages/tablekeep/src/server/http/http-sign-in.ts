import type { IncomingMessage } from "node:http";
import type { Clock } from "@tablekeep/core";
import { passwordCheck, SignInThrottle } from "../auth/password-check.ts";
import type { Users } from "../auth/secret-files.ts";
import { type Tokens, tokenHash } from "../auth/secret-files.ts";
import type { SignedAccess } from "./http-route.ts";
import { HttpError } from "./http-route.ts";

/** The users and tokens of the HTTP listener. */
export interface HttpUsers {
  readonly users?: Users;
  readonly tokens?: Tokens;
}

/** Throws unless a request is authenticated. */
export type HttpSignIn = (request: IncomingMessage, access: SignedAccess) => Promise<void>;

/**
 * Accepts a name and password (basic), where the name may also be that of a token and the password the token, and a token
 * (bearer) if the access allows it.
 */
export function httpSignIn({ users = new Map(), tokens = new Map() }: HttpUsers, clock: Clock): HttpSignIn {
  const attempts = new SignInThrottle(clock);
  const fits = passwordCheck(users, attempts);
  const hashes = new Set(tokens.values());
  // Compares hashes, not tokens, so that timing reveals nothing about them.
  const isToken = (token: string) => hashes.has(tokenHash(token));
  return async (request, access) => {
    const from = request.socket.remoteAddress ?? "";
    const token = access === "users" ? bearerToken(request) : undefined;
    const given = basicCredentials(request);
    if (token !== undefined && isToken(token)) return;
    if (given !== undefined && tokens.get(given.name) === tokenHash(given.password)) return;
    if (given !== undefined && (await fits(given.name, given.password, from))) return;
    // A failed password was already counted by its check.
    if (token !== undefined) attempts.begin(from);
    throw signInError(given === undefined && token === undefined ? 0 : attempts.waitMs(from));
  };
}

function signInError(waitMs: number): HttpError {
  if (waitMs === 0)
    return new HttpError(401, "authentication required: a user name and password, or a token", {
      "www-authenticate": 'Basic realm="tablekeep", charset="UTF-8"',
    });
  const seconds = Math.ceil(waitMs / 1000);
  return new HttpError(429, `too many failed attempts: wait ${seconds} seconds`, {
    "retry-after": String(seconds),
  });
}

function bearerToken({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +([\w.~+/=-]{1,512})$/i.exec(headers.authorization ?? "")?.[1];
}

function basicCredentials({
  headers,
}: IncomingMessage): { readonly name: string; readonly password: string } | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const end = text.indexOf(":");
  return end === -1 ? undefined : { name: text.slice(0, end), password: text.slice(end + 1) };
}
