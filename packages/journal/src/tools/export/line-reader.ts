import type { NumberedLine } from "./export-lines.ts";

/** Lines, one after the other, with a look at the next. */
export class LineReader {
  readonly #lines: AsyncGenerator<NumberedLine, void, undefined>;
  #ahead: NumberedLine | undefined;
  /** The number of the last line that was taken. */
  number = 0;

  constructor(lines: AsyncGenerator<NumberedLine, void, undefined>) {
    this.#lines = lines;
  }

  /** The next line, which stays the next. */
  async peek(): Promise<NumberedLine | undefined> {
    if (this.#ahead === undefined) {
      const { value, done } = await this.#lines.next();
      this.#ahead = done ? undefined : value;
    }
    return this.#ahead;
  }

  async next(): Promise<NumberedLine | undefined> {
    const line = await this.peek();
    this.#ahead = undefined;
    this.number = line?.number ?? this.number;
    return line;
  }

  async close(): Promise<void> {
    await this.#lines.return();
  }
}
