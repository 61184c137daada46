import { extendedParameter } from "../mime/extended-parameter.ts";

const token = /^[!#$%&'*+\-.0-9A-Z^_`a-z{|}~]+/;

/**
 * The boundary in a Content-Type as Go's mime.ParseMediaType reads it, which refuses the whole value for one
 * malformed or repeated parameter; "" if there is none.
 */
export function boundaryOf(contentType: string): string {
  const semicolon = contentType.indexOf(";");
  const type = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim();
  if (!isMediaType(type)) return "";
  const parameters = new Map<string, string>();
  let rest = semicolon < 0 ? "" : contentType.slice(semicolon);
  while (rest.trimStart() !== "") {
    const found = takeParameter(rest.trimStart());
    if (found === undefined) return rest.trim() === ";" ? boundaryIn(parameters) : "";
    if (parameters.has(found.name)) return "";
    parameters.set(found.name, found.value);
    rest = found.rest;
  }
  return boundaryIn(parameters);
}

/** Also one in the forms of RFC 2231, which count more there: `boundary*=…`, `boundary*0=…; boundary*1=…`. */
function boundaryIn(parameters: ReadonlyMap<string, string>): string {
  return extendedParameter(parameters, "boundary") ?? parameters.get("boundary") ?? "";
}

function isMediaType(type: string): boolean {
  const [main = "", sub, ...more] = type.split("/");
  const whole = (piece: string) => token.exec(piece)?.[0] === piece;
  return whole(main.trim()) && more.length === 0 && (sub === undefined || whole(sub.trim()));
}

interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly rest: string;
}

function takeParameter(text: string): Parameter | undefined {
  if (!text.startsWith(";")) return undefined;
  let rest = text.slice(1).trimStart();
  const name = token.exec(rest)?.[0];
  if (name === undefined) return undefined;
  rest = rest.slice(name.length).trimStart();
  if (!rest.startsWith("=")) return undefined;
  const value = takeValue(rest.slice(1).trimStart());
  return value === undefined ? undefined : { name: name.toLowerCase(), ...value };
}

function takeValue(text: string): { value: string; rest: string } | undefined {
  if (!text.startsWith('"')) {
    const value = token.exec(text)?.[0];
    return value === undefined ? undefined : { value, rest: text.slice(value.length) };
  }
  let value = "";
  for (let at = 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { value, rest: text.slice(at + 1) };
    if (char === "\r" || char === "\n") return undefined;
    // Go takes a backslash as an escape only before a special character.
    if (char === "\\" && /[()<>@,;:\\"/[\]?=]/.test(text.charAt(at + 1))) value += text.charAt(++at);
    else value += char;
  }
  return undefined;
}
