/**
 * How much more than in CI the searches do: `TABLEKEEP_TEST_SCALE=20 npx vitest run packages/journal/test/faults`
 * tries twenty times as many orders.
 */
export const scale: number = Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));

/** How long a search may take, in milliseconds. */
export const searchTimeoutMs: number = 600_000 * scale;
