/** A value of a command. */
export type ImapValue =
  | { readonly kind: "atom"; readonly text: string }
  /** Quoted, or a literal. */
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly ImapValue[] };

/** A command that violates the syntax. The message says why. */
export class ImapSyntaxError extends Error {}

/** A part of a command as it arrived: text without line ends, or the bytes of a literal. */
export type CommandPiece = string | Buffer;

/** The maximum nesting of lists. */
const maxDepth = 20;

/** Parses the pieces of a command into values. Text is a byte text; strings are decoded as UTF-8. */
export function parseValues(pieces: readonly CommandPiece[]): ImapValue[] {
  const scanner = new Scanner(pieces);
  const values = scanner.values(0);
  if (!scanner.atEnd) throw new ImapSyntaxError("unexpected )");
  return values;
}

class Scanner {
  readonly #pieces: readonly CommandPiece[];
  #piece = 0;
  #at = 0;

  constructor(pieces: readonly CommandPiece[]) {
    this.#pieces = pieces;
  }

  get atEnd(): boolean {
    return this.#next() === undefined;
  }

  values(depth: number): ImapValue[] {
    if (depth > maxDepth) throw new ImapSyntaxError("too many nested lists");
    const found: ImapValue[] = [];
    for (;;) {
      const next = this.#next();
      if (next === undefined || next === ")") return found;
      if (next === " ") this.#at++;
      else found.push(this.#value(next, depth));
    }
  }

  /** The next character, or the next literal; undefined at the end. */
  #next(): string | Buffer | undefined {
    for (;;) {
      const piece = this.#pieces[this.#piece];
      if (piece === undefined || typeof piece !== "string") return piece;
      if (this.#at < piece.length) return piece[this.#at];
      this.#piece++;
      this.#at = 0;
    }
  }

  #value(next: string | Buffer, depth: number): ImapValue {
    if (typeof next !== "string") {
      this.#piece++;
      this.#at = 0;
      return { kind: "string", text: next.toString("utf8") };
    }
    if (next === '"') return { kind: "string", text: utf8(this.#quoted()) };
    if (next !== "(") return { kind: "atom", text: this.#atom() };
    this.#at++;
    const items = this.values(depth + 1);
    if (this.#next() !== ")") throw new ImapSyntaxError("unterminated list");
    this.#at++;
    return { kind: "list", items };
  }

  #quoted(): string {
    const piece = this.#pieces[this.#piece] as string;
    const found = /^"((?:[^"\\]|\\["\\])*)"/.exec(piece.slice(this.#at));
    if (found === null) throw new ImapSyntaxError("unterminated quoted string");
    this.#at += found[0].length;
    return (found[1] ?? "").replaceAll(/\\(.)/g, "$1");
  }

  /** A section in brackets belongs to the atom, with its spaces and parentheses: `BODY[HEADER.FIELDS (To)]<0.10>`. */
  #atom(): string {
    const piece = this.#pieces[this.#piece] as string;
    const found = /^(?:[^\s()"[\]{]|\[[^\]]*\])+/.exec(piece.slice(this.#at));
    if (found === null) throw new ImapSyntaxError("unexpected character");
    this.#at += found[0].length;
    return found[0];
  }
}

function utf8(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}

/** The text of an atom or a string; throws for a list. */
export function textOfValue(value: ImapValue | undefined): string {
  if (value === undefined) throw new ImapSyntaxError("an argument is missing");
  if (value.kind === "list") throw new ImapSyntaxError("unexpected list");
  return value.text;
}
