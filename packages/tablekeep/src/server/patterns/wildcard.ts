/** Whether a string matches a pattern. */
export type Matches = (text: string) => boolean;

/** Options of a pattern. */
export interface WildcardOptions {
  /** @default false */
  readonly ignoreCase?: boolean;
}

/** Compiles a pattern for whole strings, in which `*` stands for any characters. Matching takes linear time. */
export function wildcard(pattern: string, { ignoreCase = false }: WildcardOptions = {}): Matches {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const [first = "", ...rest] = fold(pattern).split("*");
  const last = rest.pop();
  return (text) => {
    const folded = fold(text);
    if (last === undefined) return folded === first;
    if (!folded.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = folded.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return folded.length - last.length >= at && folded.endsWith(last);
  };
}

/** Compiles patterns for addresses, separated by commas: an address must match one of them. Case is ignored. */
export function addressPatterns(list: string): Matches {
  const each = list
    .split(",")
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "")
    .map((pattern) => wildcard(pattern, { ignoreCase: true }));
  return (address) => each.some((matches) => matches(address));
}
