import { createHash } from "node:crypto";
import type { Random } from "@tablekeep/core";

/** The n-th number is decided by `key` and n alone. Fast enough for one draw a command; not for secrets. */
export function seededRandom(key: string): Random {
  let drawn = 0;
  return () => {
    const digest = createHash("sha256").update(`${key}\0${drawn++}`).digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  };
}
