import { CliError } from "../frame/cli-error.ts";

/** A part of a dump, not yet parsed: one item of its list, or a whole member of the document. */
export interface DumpPiece {
  /** `undefined` for an item. */
  readonly member: string | undefined;
  readonly text: string;
  /** Its offset in the file, in bytes. */
  readonly at: number;
}

/** Which parts to return; the others are skipped and not kept in memory. */
export interface WantedPieces {
  readonly items: boolean;
  readonly member: (name: string) => boolean;
}

/** The parts that may follow at the top level of the document. */
type Expected =
  | "document"
  | "first member"
  | "member"
  | "colon"
  | "value"
  | "after value"
  | "first item"
  | "item"
  | "after item"
  | "nothing";

/** The part that is being read. */
type Goal = "name" | "member" | "item";

/** An item has at most 400 KB; its JSON may be six times as long, if every character is escaped. */
const maxPieceBytes = 16 * 1024 * 1024;

const [tab, lineFeed, carriageReturn, space, quote, comma, colon, backslash] = [
  9, 10, 13, 32, 34, 44, 58, 92,
];
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125];

/**
 * Splits a dump into its parts as its bytes arrive, with at most one part in memory. It only finds where parts begin and
 * end; `JSON.parse` later checks that they are JSON.
 */
export class DumpSplitter {
  readonly #wanted: WantedPieces;
  #expected: Expected = "document";
  #goal: Goal | undefined;
  #name = "";
  #seen = new Set<string>();
  #position = 0;
  #startedAt = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(wanted: WantedPieces) {
    this.#wanted = wanted;
  }

  /** Adds the next bytes and returns the parts that they complete. */
  push(chunk: Buffer): DumpPiece[] {
    const pieces: DumpPiece[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#goal === undefined) {
        this.#structure(chunk[at] as number, this.#position + at);
        // The first byte of a part belongs to it.
        if (this.#goal === undefined) at++;
        continue;
      }
      const end = this.#endOfPart(chunk, at);
      this.#hold(chunk.subarray(at, end === -1 ? undefined : end));
      if (end === -1) break;
      at = end;
      const piece = this.#finish();
      if (piece !== undefined) pieces.push(piece);
    }
    this.#position += chunk.length;
    return pieces;
  }

  /** Throws unless the document is complete. */
  end(): void {
    if (this.#expected !== "nothing") throw this.#fault("unexpected end of file", this.#position);
  }

  #structure(byte: number, position: number): void {
    if (byte === space || byte === lineFeed || byte === carriageReturn || byte === tab) return;
    const next = this.#next(byte);
    if (next === undefined) throw this.#fault("invalid JSON for a dump", position);
    if (next === "part") this.#startedAt = position;
    else this.#expected = next;
  }

  /** The next state after this byte: another expectation, or the start of a part. */
  #next(byte: number): Expected | "part" | undefined {
    switch (this.#expected) {
      case "document":
        return byte === openObject ? "first member" : undefined;
      case "first member":
        return byte === closeObject ? "nothing" : this.#begin("name", byte === quote);
      case "member":
        return this.#begin("name", byte === quote);
      case "colon":
        return byte === colon ? "value" : undefined;
      case "value":
        if (this.#name === "Items") return byte === openList ? "first item" : undefined;
        return this.#begin("member", true);
      case "after value":
        return byte === comma ? "member" : byte === closeObject ? "nothing" : undefined;
      case "first item":
        return byte === closeList ? "after value" : this.#begin("item", true);
      case "item":
        return this.#begin("item", true);
      case "after item":
        return byte === comma ? "item" : byte === closeList ? "after value" : undefined;
      case "nothing":
        return undefined;
    }
  }

  #begin(goal: Goal, allowed: boolean): "part" | undefined {
    if (!allowed) return undefined;
    this.#goal = goal;
    this.#depth = 0;
    return "part";
  }

  /** The index after the last byte of the current part, or -1 if it continues in the next chunk. */
  #endOfPart(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) {
          this.#inString = false;
          if (this.#depth === 0) return at + 1;
        }
      } else if (byte === quote) {
        this.#inString = true;
      } else if (byte === openObject || byte === openList) {
        this.#depth++;
      } else if (byte === closeObject || byte === closeList) {
        if (this.#depth === 0) return at;
        if (--this.#depth === 0) return at + 1;
      } else if (this.#depth === 0 && (byte === comma || byte <= space)) {
        return at;
      }
    }
    return -1;
  }

  #hold(bytes: Buffer): void {
    if (!this.#wants()) return;
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > maxPieceBytes) throw this.#fault("a value is longer than 16 MB", this.#startedAt);
    this.#held.push(bytes);
  }

  #wants(): boolean {
    if (this.#goal === "name") return true;
    return this.#goal === "item" ? this.#wanted.items : this.#wanted.member(this.#name);
  }

  #finish(): DumpPiece | undefined {
    const goal = this.#goal;
    const wanted = this.#wants();
    const text = wanted ? this.#text() : "";
    this.#goal = undefined;
    this.#held = [];
    this.#heldBytes = 0;
    if (goal === "name") {
      this.#takeName(text);
      return undefined;
    }
    this.#expected = goal === "item" ? "after item" : "after value";
    return wanted
      ? { member: goal === "item" ? undefined : this.#name, text, at: this.#startedAt }
      : undefined;
  }

  #text(): string {
    const bytes = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held);
    return bytes.toString("utf8");
  }

  #takeName(text: string): void {
    try {
      this.#name = String(JSON.parse(text));
    } catch (error) {
      throw this.#fault("invalid JSON for a dump", this.#startedAt, error);
    }
    if (this.#seen.has(this.#name)) throw this.#fault("duplicate member", this.#startedAt);
    this.#seen.add(this.#name);
    this.#expected = "colon";
  }

  #fault(what: string, position: number, cause?: unknown): CliError {
    return new CliError("CLI_DUMP_INVALID", `${what}, at byte ${position}`, cause);
  }
}
