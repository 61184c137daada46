/** JSON in which equal values look equal: members in order, absent ones left out, bytes as base64. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => {
    if (each instanceof Uint8Array) return { bytes: Buffer.from(each).toString("base64") };
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
