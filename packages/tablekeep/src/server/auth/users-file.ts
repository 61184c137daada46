import { ServerError } from "../server-error.ts";
import { type LineTrouble, parseSecretLines, readSecrets } from "./secret-lines.ts";

/** Hashes of passwords by the name of their user. */
export type Users = ReadonlyMap<string, string>;

/** As bcrypt writes them: version, cost (4 to 31), salt and hash. `2x` marks those of an old fault; no library of ours checks them. */
const bcryptHash = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

/** Reads a file with one `name:hash` a line, as MailHog's `-auth-file` and `htpasswd -B` write it. */
export function readUsersFile(path: string): Users {
  return parseUsers(readSecrets(path, trouble(path)), path);
}

/** The users of such a text. */
export function parseUsers(text: string, path: string): Users {
  return parseSecretLines(text, (hash) => bcryptHash.test(hash), trouble(path));
}

function trouble(path: string): (found: LineTrouble) => ServerError {
  return ({ line, reason, cause }) =>
    line === undefined
      ? new ServerError(
          "SERVER_USERS_FILE_INVALID",
          `no users can be read from ${path}: ${reason}`,
          { path },
          cause,
        )
      : new ServerError(
          "SERVER_USERS_FILE_INVALID",
          `line ${line} of ${path} is not name:hash with a bcrypt hash and a name of its own: make one with tablekeep bcrypt`,
          { path, line },
        );
}
