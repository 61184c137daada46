/**
 * Runs works one after the other. For reads with large answers: each caller has used up its answer before the next one
 * is made. Made all at once they would be alive together, and the collector would spend more time on them than we do.
 */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.then(ignore, ignore);
    return result;
  }
}

function ignore(): void {}
