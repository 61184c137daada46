import type { AttributeValue, Item } from "@tablekeep/core";

/** A part of an expression before its placeholders have names. */
export type Piece =
  | string
  | { readonly value: AttributeValue }
  | { readonly name: string; readonly hidden: boolean };
export type Fragment = readonly Piece[];

/** Collects the placeholders of a request. */
class Placeholders {
  readonly #names = new Map<string, string>();
  readonly #values: AttributeValue[] = [];

  /** Returns the text of an expression and collects its placeholders. */
  write(fragment: Fragment): string {
    return fragment.map((piece) => this.#text(piece)).join("");
  }

  get parameters(): { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: Item } {
    const names = [...this.#names].map(([name, placeholder]) => [placeholder, name]);
    const values = this.#values.map((value, at) => [`:v${at}`, value]);
    return {
      ...(names.length > 0 && {
        ExpressionAttributeNames: Object.fromEntries(names) as Record<string, string>,
      }),
      ...(values.length > 0 && { ExpressionAttributeValues: Object.fromEntries(values) as Item }),
    };
  }

  #text(piece: Piece): string {
    if (typeof piece === "string") return piece;
    if ("value" in piece) {
      this.#values.push(piece.value);
      return `:v${this.#values.length - 1}`;
    }
    if (!piece.hidden) return piece.name;
    const known = this.#names.get(piece.name) ?? `#n${this.#names.size}`;
    this.#names.set(piece.name, known);
    return known;
  }
}

/** Returns the expression parameters of a request, with their placeholders. Absent ones are omitted. */
export function expressions(given: Readonly<Record<string, Fragment | undefined>>): Record<string, unknown> {
  const placeholders = new Placeholders();
  const texts: Record<string, unknown> = {};
  for (const [parameter, fragment] of Object.entries(given)) {
    if (fragment !== undefined) texts[parameter] = placeholders.write(fragment);
  }
  return { ...texts, ...placeholders.parameters };
}
