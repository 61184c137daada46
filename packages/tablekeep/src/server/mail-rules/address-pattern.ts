/** Whether an address matches a pattern. */
export type AddressMatch = (address: string) => boolean;

/**
 * Compiles a pattern for addresses: `*` stands for any characters, and case is ignored. The time is at most the length of the
 * address times that of the pattern.
 */
export function addressPattern(pattern: string): AddressMatch {
  const wanted = pattern.toLowerCase();
  return (address) => matches(wanted, address.toLowerCase());
}

/** Compiles several patterns, separated by commas: an address must match one of them. */
export function addressPatterns(list: string): AddressMatch {
  const each = list
    .split(",")
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "")
    .map(addressPattern);
  return (address) => each.some((match) => match(address));
}

/** After a mismatch, the last `*` takes one character more. */
function matches(pattern: string, text: string): boolean {
  let [at, place] = [0, 0];
  let star: { readonly pattern: number; text: number } | undefined;
  while (at < text.length) {
    if (pattern[place] === "*") {
      star = { pattern: place++, text: at };
    } else if (place < pattern.length && pattern[place] === text[at]) {
      at++;
      place++;
    } else if (star !== undefined) {
      at = ++star.text;
      place = star.pattern + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(place));
}
