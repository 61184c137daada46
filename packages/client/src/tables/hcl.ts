/** A value of Terraform's language, as far as tables need it. */
export type HclValue =
  | string
  | number
  | boolean
  | undefined
  | readonly string[]
  | { readonly [key: string]: string | undefined };

/** `name = value`. */
export interface HclAttribute {
  readonly name: string;
  readonly value: HclValue;
}

/** A line of a body: an attribute, or the lines of a block. */
export type HclLine = HclAttribute | readonly string[];

export function attribute(name: string, value: HclValue): HclAttribute {
  return { name, value };
}

/** The lines of a block: neighbouring attributes aligned, blocks apart by an empty line. */
export function block(type: string, labels: readonly string[], body: readonly HclLine[]): string[] {
  const attributes = body.filter((line): line is HclAttribute => "name" in line);
  const blocks = body.filter((line): line is readonly string[] => !("name" in line));
  const parts = [alignedAttributes(attributes), ...blocks].filter((lines) => lines.length > 0);
  return [
    [type, ...labels.map(hclString), "{"].join(" "),
    ...parts.flatMap((lines, index) => [...(index > 0 ? [""] : []), ...lines.map(indented)]),
    "}",
  ];
}

/** Text in quotes. `${` and `%{` would start a template, so they are doubled. */
export function hclString(text: string): string {
  const escaped = JSON.stringify(text).replace(/[$%](?=\{)/g, (sign) => sign + sign);
  // JSON's \b and \f are unknown to HCL; \u followed by four digits is common to both.
  return escaped.replace(/\\(["\\nrt]|u[0-9a-f]{4}|[bf])/g, (whole, code: string) => {
    if (code === "b") return "\\u0008";
    return code === "f" ? "\\u000c" : whole;
  });
}

function alignedAttributes(attributes: readonly HclAttribute[]): string[] {
  const width = Math.max(0, ...attributes.filter(fitsOneLine).map(({ name }) => name.length));
  return attributes.flatMap((each) => {
    const [first = "", ...rest] = valueLines(each.value);
    const name = fitsOneLine(each) ? each.name.padEnd(width) : each.name;
    return [`${name} = ${first}`, ...rest];
  });
}

function fitsOneLine({ value }: HclAttribute): boolean {
  return typeof value !== "object" || Array.isArray(value);
}

function valueLines(value: HclValue): string[] {
  if (typeof value === "string") return [hclString(value)];
  if (typeof value !== "object") return [String(value)];
  if (Array.isArray(value)) return [`[${value.map((text: string) => hclString(text)).join(", ")}]`];
  const entries = Object.entries(value).map(([key, text]) => ({
    key: hclString(key),
    text: hclString(text ?? ""),
  }));
  const width = Math.max(...entries.map(({ key }) => key.length));
  return ["{", ...entries.map(({ key, text }) => indented(`${key.padEnd(width)} = ${text}`)), "}"];
}

function indented(line: string): string {
  return line === "" ? "" : `  ${line}`;
}
