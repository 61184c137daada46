/** Runs one operation repeatedly, and returns its rate per second and the CPU time of this process. */

/**
 * @param {() => Promise<unknown>} operation
 * @param {{ inFlight: number, seconds?: number, warmUpSeconds?: number }} options
 * @returns {Promise<{ done: number, perSecond: number, cpuMicros: number }>}
 */
export async function measure(operation, { inFlight, seconds = 2, warmUpSeconds = 0.5 }) {
  await run(operation, inFlight, warmUpSeconds);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const done = await run(operation, inFlight, seconds);
  const elapsed = (performance.now() - startedAt) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  return { done, perSecond: done / elapsed, cpuMicros: (cpu.user + cpu.system) / done };
}

/** Measures `rounds` times and returns the median of each figure. */
export async function median(operation, options, rounds = 3) {
  const { only } = await medians({ only: operation }, options, rounds);
  return only;
}

/**
 * Measures several operations, `rounds` times one after the other, and returns the median of each figure. What else runs
 * on the machine then disturbs all of them alike.
 *
 * @param {{ [name: string]: () => Promise<unknown> }} operations
 */
export async function medians(operations, options, rounds = 3) {
  const all = Object.fromEntries(Object.keys(operations).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, operation] of Object.entries(operations)) {
      all[name].push(await measure(operation, options));
    }
  }
  const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const figures = (measured) => ({
    perSecond: middle(measured.map((each) => each.perSecond)),
    cpuMicros: middle(measured.map((each) => each.cpuMicros)),
  });
  return Object.fromEntries(Object.entries(all).map(([name, measured]) => [name, figures(measured)]));
}

async function run(operation, inFlight, seconds) {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const worker = async () => {
    while (performance.now() < end) {
      await operation();
      done++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return done;
}
