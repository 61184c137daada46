import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { readReason } from "../file-reason.ts";
import { ServerError } from "../server-error.ts";

/** A file of secrets that cannot be used: it cannot be read, or one of its lines is wrong. */
export interface InvalidLine {
  readonly line?: number;
  readonly reason: string;
  readonly cause?: unknown;
}

/**
 * Parses lines of the form `name:hash`. Errors do not repeat names and hashes of invalid lines, only their
 * line numbers.
 */
function parseSecretLines(
  text: string,
  isHash: (hash: string) => boolean,
  wrong: (line: InvalidLine) => Error,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const end = line.indexOf(":");
    const name = line.slice(0, end);
    const hash = line.slice(end + 1).trim();
    if (end < 1 || !isHash(hash) || found.has(name)) throw wrong({ line: at + 1, reason: "" });
    found.set(name, hash);
  }
  return found;
}

/** Reads the content of such a file. */
function readSecrets(path: string, wrong: (line: InvalidLine) => Error): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw wrong({ reason: readReason(cause), cause });
  }
}

function isMissing(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
}

/** Password hashes by user name. */
export type Users = ReadonlyMap<string, string>;

/** As bcrypt writes them: version, cost (4 to 31), salt and hash. `2x` marks hashes of an old, faulty implementation, which our library cannot check. */
const bcryptHash = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

/** Reads a file with one `name:hash` per line, as MailHog's `-auth-file` and `htpasswd -B` write it. */
export function readUsersFile(path: string): Users {
  return parseUsers(readSecrets(path, usersFileError(path)), path);
}

/** Parses the content of a users file. */
export function parseUsers(text: string, path: string): Users {
  return parseSecretLines(text, (hash) => bcryptHash.test(hash), usersFileError(path));
}

function usersFileError(path: string): (found: InvalidLine) => ServerError {
  return ({ line, reason, cause }) =>
    line === undefined
      ? new ServerError(
          "SERVER_USERS_FILE_INVALID",
          `cannot read users from ${path}: ${reason}${isMissing(cause) ? `; "tablekeep auth add NAME --file ${path}" creates it` : ""}`,
          { path },
          cause,
        )
      : new ServerError(
          "SERVER_USERS_FILE_INVALID",
          `line ${line} of ${path} must be name:hash with a unique name and a bcrypt hash: add users with tablekeep auth add`,
          { path, line },
        );
}

/** Hashes of tokens by their names. */
export type Tokens = ReadonlyMap<string, string>;

/** Reads a file with one `name:hash` per line, as `tablekeep auth add --token` writes it. */
export function readTokensFile(path: string): Tokens {
  return parseTokens(readSecrets(path, tokensFileError(path)), path);
}

/** Parses the content of a tokens file. */
export function parseTokens(text: string, path: string): Tokens {
  return parseSecretLines(text, (hash) => /^[0-9a-f]{64}$/.test(hash), tokensFileError(path));
}

/** Creates a token of 256 random bits. */
export function newToken(): string {
  return `tk_${randomBytes(32).toString("base64url")}`;
}

/** The stored hash of a token. A token of 256 bits needs no slow hash, because it cannot be guessed. */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function tokensFileError(path: string): (found: InvalidLine) => ServerError {
  return ({ line, reason, cause }) =>
    line === undefined
      ? new ServerError(
          "SERVER_TOKENS_FILE_INVALID",
          `cannot read tokens from ${path}: ${reason}${isMissing(cause) ? `; "tablekeep auth add NAME --token --file ${path}" creates it` : ""}`,
          { path },
          cause,
        )
      : new ServerError(
          "SERVER_TOKENS_FILE_INVALID",
          `line ${line} of ${path} must be name:hash with a unique name and the hash of a token: add tokens with tablekeep auth add --token`,
          { path, line },
        );
}
