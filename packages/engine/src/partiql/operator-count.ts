import { invalid } from "../item/refuse.ts";

/** AWS: Limits — operators and functions in one expression. */
const maxOperators = 300;

/** Counts operators on the way down, so that what has too many of them is not descended into. */
export class OperatorCount {
  #count = 0;

  add(): void {
    if (++this.#count > maxOperators) {
      throw invalid(`The expression contains too many operators; operator count: ${this.#count}`);
    }
  }
}
