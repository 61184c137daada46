import { createHmac, randomBytes } from "node:crypto";
import { compare } from "bcryptjs";
import type { Users } from "./users-file.ts";

/** Tells whether a password is that of a user. */
export type PasswordCheck = (name: string, password: string) => Promise<boolean>;

/** Of no password. Compared with where there is no such user, so that names cannot be told by the time it takes. */
const nobody = "$2b$10$abcdefghijklmnopqrstuuVCxB3qPUDDT1wzb7Fp3n1eDx8l4nGKW";

/** How many proven passwords are remembered: bcrypt is slow on purpose, and browsers send the password each time. */
const remembered = 1000;

/** Checks passwords against the hashes of `users`. */
export function passwordCheck(users: Users): PasswordCheck {
  const key = randomBytes(32);
  const proven = new Set<string>();
  return async (name, password) => {
    const hash = users.get(name);
    // Only what was proven is kept, under a key that dies with the process: never the password itself.
    const proof = createHmac("sha256", key).update(`${hash}\0${password}`).digest("base64");
    if (hash !== undefined && proven.has(proof)) return true;
    const fits = await compare(password, hash ?? nobody);
    if (!fits || hash === undefined) return false;
    if (proven.size >= remembered) proven.clear();
    proven.add(proof);
    return true;
  };
}
