/** JSON as Go writes it, which MailHog's clients know: fields in their order, no spaces, nothing that ends a script. */
export function goJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, sortedHeaders, indent).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Go sorts the keys of maps, and headers are the only map. */
function sortedHeaders(key: string, value: unknown): unknown {
  if (key !== "Headers" || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
