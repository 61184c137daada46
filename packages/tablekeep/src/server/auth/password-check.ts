import { createHmac, randomBytes } from "node:crypto";
import { compare } from "bcryptjs";
import type { Attempts } from "./attempts.ts";
import type { Users } from "./users-file.ts";

/** Tells whether a password is that of a user, who comes from this place. Those who fail too often are not listened to. */
export type PasswordCheck = (name: string, password: string, from: string) => Promise<boolean>;

/** Of no password. Compared with where there is no such user, so that names cannot be told by the time it takes. */
const nobody = "$2b$10$abcdefghijklmnopqrstuuVCxB3qPUDDT1wzb7Fp3n1eDx8l4nGKW";

/** How many proven passwords are remembered: bcrypt is slow on purpose, and browsers send the password each time. */
const remembered = 1000;

/** Checks passwords against the hashes of `users`. */
export function passwordCheck(users: Users, attempts: Attempts): PasswordCheck {
  const key = randomBytes(32);
  const proven = new Set<string>();
  return async (name, password, from) => {
    const hash = users.get(name);
    // Only what was proven is kept, under a key that dies with the process: never the password itself.
    const proof = createHmac("sha256", key).update(`${hash}\0${password}`).digest("base64");
    // Who was here before does not suffer from others who fail at the same place, behind a proxy for instance.
    if (hash !== undefined && proven.has(proof)) return true;
    if (!attempts.begin(from)) return false;
    const fits = await compare(password, hash ?? nobody);
    if (!fits || hash === undefined) return false;
    attempts.succeeded(from);
    if (proven.size >= remembered) proven.clear();
    proven.add(proof);
    return true;
  };
}
