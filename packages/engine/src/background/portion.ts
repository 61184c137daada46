/** Entries in one piece of background work. */
export const entriesAtOnce = 100;
const charactersAtOnce = 1024 * 1024;

/** How much is done in one piece: little enough that callers do not notice. */
export class Portion {
  #entries = 0;
  #characters = 0;

  /** Counts one entry. False if it was the last of this piece. */
  take(text: string): boolean {
    this.#entries++;
    this.#characters += text.length;
    return !this.isFull;
  }

  get isFull(): boolean {
    return this.#entries >= entriesAtOnce || this.#characters >= charactersAtOnce;
  }
}
