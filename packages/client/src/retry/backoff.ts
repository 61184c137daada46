import type { Random } from "@tablekeep/core";

/** How long to wait before the next attempt: a random part of a bound that doubles each time ("full jitter"). */
export interface BackoffPolicy {
  /** The bound of the first wait, in milliseconds. @default 25 */
  readonly baseMs: number;
  /** The bound never grows beyond this, in milliseconds. @default 20,000 */
  readonly capMs: number;
}

export const defaultBackoff: BackoffPolicy = { baseMs: 25, capMs: 20_000 };

/** After a throttle: eight of them in a row still fit into the default deadline, on average. */
export const throttleBackoff: BackoffPolicy = { baseMs: 50, capMs: 20_000 };

/** The wait before retry number `retry` (0 for the first). */
export function backoffMs(retry: number, random: Random, policy: BackoffPolicy = defaultBackoff): number {
  return random() * Math.min(policy.capMs, policy.baseMs * 2 ** retry);
}
