/** JSON as Go writes it, which MailHog's clients know: fields in their order, no spaces, nothing that ends a script. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
