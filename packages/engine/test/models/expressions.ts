import type { WireItem, WireValue } from "../../src/values/wire-value.ts";

/** Writes paths and values of an expression as placeholders, and collects them. */
export class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, WireValue> = {};

  path(path: readonly (string | number)[]): string {
    return path
      .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${this.#name(part)}`))
      .join("");
  }

  value(value: WireValue): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  /** The members of a request that belong to the expression. */
  get parameters(): object {
    return {
      ...(Object.keys(this.names).length > 0 && { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length > 0 && { ExpressionAttributeValues: this.values }),
    };
  }

  #name(name: string): string {
    const placeholder = `#n${Object.keys(this.names).length}`;
    this.names[placeholder] = name;
    return placeholder;
  }
}

/** Returns the value at a path, by walking the JSON with entries only. */
export function naiveAt(item: WireItem, path: readonly (string | number)[]): WireValue | undefined {
  let current: WireValue | undefined = { M: item };
  for (const part of path) {
    const tagged: Record<string, unknown> = current as never;
    if (typeof part === "string") {
      const map = tagged["M"] as object | undefined;
      current = map && (new Map(Object.entries(map)).get(part) as WireValue | undefined);
    } else {
      current = (tagged["L"] as WireValue[] | undefined)?.[part];
    }
    if (current === undefined) return undefined;
  }
  return current;
}
