import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "@tablekeep/core";
import { compare } from "bcryptjs";
import type { Users } from "./secret-files.ts";

/** The number of failures without a delay: people mistype. */
const freeFailures = 5;

/** The delay after the first failure beyond these, in milliseconds; it doubles with each further one, up to the maximum. */
const firstWaitMs = 1_000;
const maxWaitMs = 60_000;

/** Failures are forgotten after this time without another one. */
const memoryMs = 15 * 60_000;

/** The maximum number of remembered clients; the oldest are removed first. */
const maxClients = 10_000;

interface Failures {
  count: number;
  /** When the last of them was, on the clock's monotonic time. */
  at: number;
}

/** Delays clients that repeatedly fail to authenticate, by their address. */
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
    const wait = Math.min(maxWaitMs, firstWaitMs * 2 ** (known.count - freeFailures));
    return Math.max(0, known.at + wait - this.#clock.monotonic());
  }

  /** Whether `from` may try now. An attempt counts as a failure until it succeeds, so concurrent attempts count as well. */
  begin(from: string): boolean {
    if (this.waitMs(from) > 0) return false;
    const count = (this.#known(from)?.count ?? 0) + 1;
    this.#failures.delete(from);
    this.#failures.set(from, { count, at: this.#clock.monotonic() });
    for (const [oldest] of this.#failures) {
      if (this.#failures.size <= maxClients) break;
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

/** Checks the password of a user who connects from an address. Clients with too many failures are rejected without a check. */
export type PasswordCheck = (name: string, password: string, from: string) => Promise<boolean>;

/** A hash without a password. Compared for unknown users, so that timing does not reveal which names exist. */
const noHash = "$2b$10$abcdefghijklmnopqrstuuVCxB3qPUDDT1wzb7Fp3n1eDx8l4nGKW";

/** The maximum number of remembered passwords: bcrypt is slow on purpose, and browsers send the password with each request. */
const maxVerified = 1_000;

/** Checks passwords against the hashes of `users`. */
export function passwordCheck(users: Users, attempts: SignInThrottle): PasswordCheck {
  const key = randomBytes(32);
  const verified = new Set<string>();
  return async (name, password, from) => {
    const hash = users.get(name);
    // Only verified passwords are kept, as hashes with a key that exists only in this process, and never the password itself.
    const proof = createHmac("sha256", key).update(`${hash}\0${password}`).digest("base64");
    // A verified user is not delayed by failures of others at the same address, such as behind a proxy.
    if (hash !== undefined && verified.has(proof)) return true;
    if (!attempts.begin(from)) return false;
    const isRight = await compare(password, hash ?? noHash);
    if (!isRight || hash === undefined) return false;
    attempts.succeeded(from);
    if (verified.size >= maxVerified) verified.clear();
    verified.add(proof);
    return true;
  };
}
