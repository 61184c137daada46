/** A place in the console: the part of the address behind `#`. */
export interface Route {
  /** The first part, which selects the screen. "" if there is none. */
  readonly screen: string;
  /** The parts behind it, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Parses the part of an address behind `#`. A part that cannot be decoded stays as it is. */
export function parseHash(hash: string): Route {
  const [path = "", query = ""] = splitOnce(hash.replace(/^#?\/?/, ""), "?");
  const [screen = "", ...rest] = path.split("/").filter((part) => part !== "");
  return { screen: decoded(screen), path: rest.map(decoded), query: new URLSearchParams(query) };
}

/** The address of a place, for a link: `placeOf(["mail", id], { query })` is `#/mail/ID?query=…`. */
export function placeOf(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const tail = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return `#/${parts.map(encodeURIComponent).join("/")}${tail}`;
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
