/**
 * Runs one job at a time. For reads with large answers: each caller has used its answer before the next one is made.
 * If all were made at once they would be in memory together, and the garbage collector would take more time than the
 * engine.
 */
export class SequentialRunner {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.then(ignore, ignore);
    return result;
  }
}

function ignore(): void {}
