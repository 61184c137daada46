import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "@tablekeep/core";
import { compare } from "bcryptjs";
import type { Users } from "./secret-files.ts";

/** So many failures cost nothing: people mistype. */
const freeFailures = 5;

/** What the next one costs, in milliseconds; each further one twice as much, up to the longest. */
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/** After so long without a failure all is forgotten. */
const memoryMs = 15 * 60_000;

/** Places that are remembered at once; the oldest go first. */
const places = 10_000;

interface Failures {
  count: number;
  /** When the last of them was, on the clock's monotonic time. */
  at: number;
}

/** Makes those wait who fail to sign in again and again, by the place that they come from. */
export class SignInThrottle {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until `from` may try again; 0 if it may now. */
  waitMs(from: string): number {
    const known = this.#known(from);
    if (known === undefined || known.count < freeFailures) return 0;
    const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (known.count - freeFailures));
    return Math.max(0, known.at + wait - this.#clock.monotonic());
  }

  /** Whether `from` may try now. The try counts as a failure until it succeeds, so that many at once count, too. */
  begin(from: string): boolean {
    if (this.waitMs(from) > 0) return false;
    const count = (this.#known(from)?.count ?? 0) + 1;
    this.#failures.delete(from);
    this.#failures.set(from, { count, at: this.#clock.monotonic() });
    for (const [oldest] of this.#failures) {
      if (this.#failures.size <= places) break;
      this.#failures.delete(oldest);
    }
    return true;
  }

  succeeded(from: string): void {
    this.#failures.delete(from);
  }

  #known(from: string): Failures | undefined {
    const known = this.#failures.get(from);
    return known !== undefined && this.#clock.monotonic() - known.at <= memoryMs ? known : undefined;
  }
}

/** Tells whether a password is that of a user, who comes from this place. Those who fail too often are not listened to. */
export type PasswordCheck = (name: string, password: string, from: string) => Promise<boolean>;

/** A hash without a password. Compared for unknown users, so that timing does not reveal which names exist. */
const nobody = "$2b$10$abcdefghijklmnopqrstuuVCxB3qPUDDT1wzb7Fp3n1eDx8l4nGKW";

/** How many proven passwords are remembered: bcrypt is slow on purpose, and browsers send the password each time. */
const remembered = 1000;

/** Checks passwords against the hashes of `users`. */
export function passwordCheck(users: Users, attempts: SignInThrottle): PasswordCheck {
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
