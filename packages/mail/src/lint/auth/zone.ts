import { MailError } from "../../model/mail-error.ts";

/** The records of a zone file that authentication reads. Names are compared without case. */
export interface Zone {
  /** The TXT records of a name, each with its strings joined. */
  txt(name: string): readonly string[];
  /** The A and AAAA records of a name. */
  addresses(name: string): readonly string[];
  /** The hosts of the MX records of a name, by preference. */
  mailServers(name: string): readonly string[];
  /** The names in the PTR records of a name. */
  pointers(name: string): readonly string[];
}

type RecordType = "TXT" | "A" | "AAAA" | "MX" | "CNAME" | "PTR";

/** Aliases that are followed before a name counts as one without records. */
const maxAliases = 8;
const types: ReadonlySet<string> = new Set(["TXT", "A", "AAAA", "MX", "CNAME", "PTR"]);

/** Parses a zone file (RFC 1035, section 5). Records of other types are ignored. */
export function parseZone(text: string): Zone {
  const records = new Map<string, string[]>();
  let origin = "";
  let owner = "";
  const absolute = (name: string) => {
    if (name === "@") return origin;
    return (
      name.endsWith(".") ? name.slice(0, -1) : origin === "" ? name : `${name}.${origin}`
    ).toLowerCase();
  };
  for (const { words, line, startsBlank } of entriesOf(text)) {
    const [first] = words;
    if (first === undefined) continue;
    if (/^\$ORIGIN$/i.test(first.text)) {
      origin = absolute(words[1]?.text ?? "");
      continue;
    }
    if (first.text.startsWith("$")) {
      if (!/^\$TTL$/i.test(first.text)) throw zoneInvalid(line, `has an unsupported directive ${first.text}`);
      continue;
    }
    if (!startsBlank) owner = absolute(first.text);
    const rest = skipClass(startsBlank ? words : words.slice(1));
    const type = rest[0]?.text.toUpperCase() ?? "";
    if (!/^[A-Z][A-Z0-9]*$/.test(type)) throw zoneInvalid(line, "has no record type");
    if (!types.has(type)) continue;
    const values = rest.slice(1).map((word) => word.text);
    const value = recordValue(type as RecordType, values, absolute);
    if (value === undefined) throw zoneInvalid(line, `has an incomplete ${type} record`);
    const key = `${type} ${owner}`;
    records.set(key, [...(records.get(key) ?? []), value]);
  }
  return zoneOf(records);
}

function recordValue(
  type: RecordType,
  values: readonly string[],
  absolute: (name: string) => string,
): string | undefined {
  const [first] = values;
  if (first === undefined) return undefined;
  if (type === "TXT") return values.join("");
  if (type === "CNAME" || type === "PTR") return absolute(first);
  if (type !== "MX") return first.toLowerCase();
  return values[1] === undefined ? undefined : `${first.padStart(6, "0")} ${absolute(values[1])}`;
}

function zoneOf(records: ReadonlyMap<string, readonly string[]>): Zone {
  const resolve = (name: string): string => {
    let at = name.toLowerCase().replace(/\.$/, "");
    for (let aliases = 0; aliases < maxAliases; aliases++) {
      const [next] = records.get(`CNAME ${at}`) ?? [];
      if (next === undefined) return at;
      at = next;
    }
    return "";
  };
  const having = (type: RecordType, name: string) => records.get(`${type} ${resolve(name)}`) ?? [];
  return {
    txt: (name) => having("TXT", name),
    addresses: (name) => [...having("A", name), ...having("AAAA", name)],
    mailServers: (name) =>
      having("MX", name)
        .toSorted()
        .map((value) => value.slice(7)),
    pointers: (name) => having("PTR", name),
  };
}

interface Word {
  readonly text: string;
}

/** Skips the time to live and the class, which may stand in either order. */
function skipClass(words: readonly Word[]): readonly Word[] {
  let at = 0;
  while (at < 2 && /^(?:\d+[smhdw]?|IN|CH|HS)$/i.test(words[at]?.text ?? "")) at++;
  return words.slice(at);
}

interface Entry {
  readonly words: readonly Word[];
  readonly line: number;
  /** Whether the owner is that of the entry before. */
  readonly startsBlank: boolean;
}

const token = /"((?:[^"\\]|\\.)*)"|;[^\n]*|[()]|\n|[ \t\r]+|(?:[^\s"();\\]|\\.)+|./gs;

/** Splits a zone file into entries. Parentheses join lines, quotes join words. */
function* entriesOf(text: string): Generator<Entry> {
  let [line, start, depth, startsBlank] = [1, 1, 0, false];
  let words: Word[] = [];
  let isFirst = true;
  for (const [all, quoted] of `${text}\n`.matchAll(token)) {
    if (all === "\n" && depth === 0) {
      if (words.length > 0) yield { words, line: start, startsBlank };
      [words, isFirst, startsBlank, start] = [[], true, false, line + 1];
    } else if (all === "(") depth++;
    else if (all === ")") depth = Math.max(0, depth - 1);
    else if (all === '"') throw zoneInvalid(line, "has an unclosed quote");
    else if (quoted !== undefined) words.push({ text: unescaped(quoted) });
    else if (/^[ \t]/.test(all)) startsBlank ||= isFirst;
    else if (!/^[;\s]/.test(all)) words.push({ text: unescaped(all) });
    isFirst = all === "\n" && depth === 0;
    line += all.split("\n").length - 1;
  }
  if (depth > 0) throw zoneInvalid(start, "has an unclosed parenthesis");
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(\d{3}|.)/gs, (_all, escaped: string) =>
    /^\d{3}$/.test(escaped) ? String.fromCharCode(Number(escaped)) : escaped,
  );
}

function zoneInvalid(line: number, reason: string): MailError<"MAIL_ZONE_INVALID"> {
  return new MailError("MAIL_ZONE_INVALID", `line ${line} of the zone file ${reason}`, { line, reason });
}
