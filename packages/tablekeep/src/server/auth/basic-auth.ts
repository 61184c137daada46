import type { IncomingMessage } from "node:http";
import { HttpRefusal } from "../http/http-refusal.ts";
import type { PasswordCheck } from "./password-check.ts";

/** Throws unless the request names a user and that user's password. */
export function basicAuth(check: PasswordCheck): (request: IncomingMessage) => Promise<void> {
  return async (request) => {
    const given = basicCredentials(request.headers.authorization);
    if (given !== undefined && (await check(given.name, given.password))) return;
    throw new HttpRefusal(401, "sign in with a name and password of the users file", {
      "www-authenticate": 'Basic realm="tablekeep", charset="UTF-8"',
    });
  };
}

function basicCredentials(header: string | undefined): { name: string; password: string } | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const end = text.indexOf(":");
  return end === -1 ? undefined : { name: text.slice(0, end), password: text.slice(end + 1) };
}
