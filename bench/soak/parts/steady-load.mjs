/**
 * Starts a call `perSecond` times a second, whether the ones before have ended or not.
 * @param {number} perSecond
 * @param {(at: number) => Promise<unknown>} call gets the number of the call, from 0
 */
export function steadyLoad(perSecond, call) {
  const startedAt = performance.now();
  const underWay = new Set();
  let started = 0;
  let times = [];
  let failed = 0;
  const reasons = new Set();
  const begin = () => {
    const dueAt = startedAt + (started * 1000) / perSecond;
    const work = call(started++).then(
      () => times.push(performance.now() - dueAt),
      (error) => {
        failed += 1;
        reasons.add(String(error?.message ?? error));
      },
    );
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    while (started < due) begin();
  }, 10);
  /** Calls that ended since the last sample: milliseconds of each, and how many failed. */
  const take = () => {
    const taken = { times, failed };
    times = [];
    failed = 0;
    return taken;
  };
  return {
    take,
    /** Why calls failed, each reason once. */
    reasons,
    /** Starts no more calls, waits for those in flight, and returns those that ended since the last sample. */
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      return take();
    },
  };
}

/** The value below which this fraction of all values is. */
export function quantile(values, part) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
