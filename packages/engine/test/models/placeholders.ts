import type { WireValue } from "../../src/values/wire-value.ts";

/** Writes paths and values of an expression as placeholders, and remembers them. */
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

  /** The members of a request that go with the expression. */
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
