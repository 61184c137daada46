/** The mailbox that every user has. */
const first = "INBOX";

/** The maximum number of characters of a pattern that are compared. */
const maxPattern = 100;

/** The name of the mailbox of an inbox: `INBOX`, and `INBOX/shop` for the one named `shop`. */
export function mailboxName(inbox?: string): string {
  return inbox === undefined ? first : `${first}/${inbox}`;
}

/** The meaning of a mailbox name: `{}` for INBOX itself, `{ inbox }` for one below it, undefined for anything else. Ignores case. */
export function parseMailboxName(text: string): { readonly inbox?: string } | undefined {
  const found = /^inbox(?:\/([^/]+))?$/i.exec(text);
  if (found === null) return undefined;
  return found[1] === undefined ? {} : { inbox: found[1].toLowerCase() };
}

/**
 * Returns whether names match a pattern of LIST, ignoring case: `*` matches any characters, `%` any but `/`. Its time is bounded by the
 * length of the pattern times that of the name.
 */
export function mailboxPattern(pattern: string): (name: string) => boolean {
  const steps = pattern.toUpperCase();
  if (steps.length > maxPattern) return () => false;
  /** Adds a position, and those behind it that need no further character. */
  const reach = (positions: Set<number>, from: number) => {
    for (let at = from; !positions.has(at); at++) {
      positions.add(at);
      if (steps[at] !== "*" && steps[at] !== "%") return;
    }
  };
  return (name) => {
    let reached = new Set<number>();
    reach(reached, 0);
    for (const character of name.toUpperCase()) {
      const next = new Set<number>();
      for (const at of reached) {
        const step = steps[at];
        if (step === "*" || (step === "%" && character !== "/")) reach(next, at);
        else if (step === character) reach(next, at + 1);
      }
      reached = next;
    }
    return reached.has(steps.length);
  };
}
