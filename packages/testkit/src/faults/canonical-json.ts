/** JSON in which equal values look equal: members in order, absent ones left out, bytes as base64. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, each: unknown) {
    // A Buffer arrives as what its own toJSON made of it; its holder has it as it is.
    const held = this[name];
    if (held instanceof Uint8Array) return { bytes: Buffer.from(held).toString("base64") };
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
