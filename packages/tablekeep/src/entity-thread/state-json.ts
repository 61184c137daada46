import { jsonValue } from "../json/journal-json.ts";
import { ServerError } from "../server/server-error.ts";

/** Maximum length of a state in JSON, in characters. */
const maxCharacters = 5_000_000;

/** Returns a state in JSON, as payloads are shown: 64-bit integers are strings of digits, bytes are base64. Throws if it is too large. */
export function stateJson(state: unknown): string {
  const text = JSON.stringify(jsonValue(plain(state)));
  if (text.length <= maxCharacters) return text;
  const reason = "it is larger than 5 MB";
  throw new ServerError("SERVER_FOLD_STOPPED", `the state cannot be shown: ${reason}`, { reason });
}

/** Maps, sets and objects with `toJSON`, such as dates, become plain data. Deeper than a snapshot can be, nothing is changed. */
function plain(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || depth > 200) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON();
  if (value instanceof Map) return plain(Object.fromEntries(value), depth + 1);
  if (value instanceof Set) return plain([...value], depth + 1);
  if (Array.isArray(value)) return value.map((member) => plain(member, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member, depth + 1)]));
}
