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

/** Returns the user of a request, or the name of its token. Throws unless it is authenticated. */
export type HttpSignIn = (request: IncomingMessage, access: SignedAccess) => Promise<string>;

/**
 * Accepts a name and password (basic), where the name may also be that of a token and the password the token, and a token
 * (bearer) if the access allows it.
 */
export function httpSignIn({ users = new Map(), tokens = new Map() }: HttpUsers, clock: Clock): HttpSignIn {
  const attempts = new SignInThrottle(clock);
  const fits = passwordCheck(users, attempts);
  // Compares hashes, not tokens, so that timing reveals nothing about them.
  const names = new Map([...tokens].map(([name, hash]) => [hash, name]));
  return async (request, access) => {
    const from = request.socket.remoteAddress ?? "";
    const token = access === "users" ? bearerToken(request) : undefined;
    const given = basicCredentials(request);
    const named = token === undefined ? undefined : names.get(tokenHash(token));
    if (named !== undefined) return named;
    if (given !== undefined && tokens.get(given.name) === tokenHash(given.password)) return given.name;
    if (given !== undefined && (await fits(given.name, given.password, from))) return given.name;
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
