/** A share of so many things, rounded up. */
export function shareOf(total: number, share: number): number {
  // 0.1 * 30 is more than 3 in binary.
  return Math.ceil(Number((total * share).toFixed(6)));
}
