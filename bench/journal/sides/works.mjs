/** The measured works on a side: each call is one append or one replay of so many 1 KB events. */
export function worksOn(side, { payload }) {
  const versions = new Map();
  const next = (id, count) => {
    const first = (versions.get(id) ?? 0) + 1;
    versions.set(id, first + count - 1);
    return first;
  };
  const payloads = (count) => Array.from({ length: count }, () => payload);
  const appendGroup = (id, count) => side.appendGroup(id, next(id, count), payloads(count));
  const replayOf = (count) => ({
    inFlight: 1,
    events: count,
    prepare: async () => {
      for (let at = 0; at < count; at += 50) await appendGroup(`r-${count}`, Math.min(50, count - at));
    },
    run: async () => {
      const found = await side.read(`r-${count}`);
      if (found !== count) throw new Error(`${found} of ${count} events were read`);
    },
  });
  return {
    "append, 1 id": { inFlight: 1, events: 1, run: () => side.append("one", next("one", 1), payload) },
    "append, 64 ids": {
      inFlight: 64,
      events: 1,
      run: (lane) => side.append(`many-${lane}`, next(`many-${lane}`, 1), payload),
    },
    "atomic 10": { inFlight: 1, events: 10, run: () => appendGroup("ten", 10) },
    "atomic 100": { inFlight: 1, events: 100, run: () => appendGroup("hundred", 100) },
    "replay of 100": replayOf(100),
    "replay of 10,000": replayOf(10_000),
  };
}
