import { createHash, randomBytes } from "node:crypto";
import { ServerError } from "../server-error.ts";
import { type LineTrouble, parseSecretLines, readSecrets } from "./secret-lines.ts";

/** Hashes of tokens by their names. */
export type Tokens = ReadonlyMap<string, string>;

/** Reads a file with one `name:hash` a line, as `tablekeep token` makes them. */
export function readTokensFile(path: string): Tokens {
  return parseTokens(readSecrets(path, trouble(path)), path);
}

/** The tokens of such a text. */
export function parseTokens(text: string, path: string): Tokens {
  return parseSecretLines(text, (hash) => /^[0-9a-f]{64}$/.test(hash), trouble(path));
}

/** A token nobody can guess: 256 bits of chance. */
export function newToken(): string {
  return `tk_${randomBytes(32).toString("base64url")}`;
}

/** What a file holds of a token. One of 256 bits needs no slow hash: there is nothing to guess. */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function trouble(path: string): (found: LineTrouble) => ServerError {
  return ({ line, reason, cause }) =>
    line === undefined
      ? new ServerError(
          "SERVER_TOKENS_FILE_INVALID",
          `no tokens can be read from ${path}: ${reason}`,
          { path },
          cause,
        )
      : new ServerError(
          "SERVER_TOKENS_FILE_INVALID",
          `line ${line} of ${path} is not name:hash with the hash of a token and a name of its own: make one with tablekeep token`,
          { path, line },
        );
}
