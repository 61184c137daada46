import { readFileSync } from "node:fs";
import { ServerError } from "../server-error.ts";

/** Hashes of passwords by the name of their user. */
export type Users = ReadonlyMap<string, string>;

/** As bcrypt writes them: version, cost, salt and hash. */
const bcryptHash = /^\$2[abxy]\$\d{2}\$[./A-Za-z0-9]{53}$/;

/** Reads a file with one `name:hash` a line, as MailHog's `-auth-file` and `htpasswd -B` write it. */
export function readUsersFile(path: string): Users {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "cannot be read";
    throw new ServerError(
      "SERVER_USERS_FILE_INVALID",
      `no users can be read from ${path}: ${reason}`,
      { path },
      error,
    );
  }
  return parseUsers(text, path);
}

/** The users of such a text. Names and hashes of wrong lines are not repeated: only their numbers are. */
export function parseUsers(text: string, path: string): Users {
  const users = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const end = line.indexOf(":");
    const name = line.slice(0, end);
    const hash = line.slice(end + 1).trim();
    if (end < 1 || !bcryptHash.test(hash) || users.has(name)) throw wrongLine(path, at + 1);
    users.set(name, hash);
  }
  return users;
}

function wrongLine(path: string, line: number): ServerError {
  return new ServerError(
    "SERVER_USERS_FILE_INVALID",
    `line ${line} of ${path} is not name:hash with a bcrypt hash and a name of its own: make one with tablekeep bcrypt`,
    { path, line },
  );
}
