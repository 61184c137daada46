/** The measured works on a side: each call is one append or one replay of so many 1 KB events. */
export function worksOn(side, { payload }) {
  const versions = new Map();
  const next = (id, count) => {
    const first = (versions.get(id) ?? 0) + 1;
    versions.set(id, first + count - 1);
    return first;
  };
  const payloads = (count) => Array.from({ length: count }, () => payload);
  const append = (id) => side.append(id, next(id, 1), payload);
  const appendGroup = (id, count) => side.appendGroup(id, next(id, count), payloads(count));
  const replayOf = (id, count, group) => ({
    inFlight: 1,
    events: count,
    prepare: async () => {
      for (let at = 0; at < count; at += group) await (group === 1 ? append(id) : appendGroup(id, group));
    },
    run: async () => {
      const found = await side.read(id);
      if (found !== count) throw new Error(`${found} of ${count} events were read`);
    },
  });
  return {
    "append, 1 id": { inFlight: 1, events: 1, run: () => append("one") },
    "append, 64 ids": { inFlight: 64, events: 1, run: (lane) => append(`many-${lane}`) },
    "atomic 10": { inFlight: 1, events: 10, run: () => appendGroup("ten", 10) },
    "atomic 100": { inFlight: 1, events: 100, run: () => appendGroup("hundred", 100) },
    "replay of 100": replayOf("r-100", 100, 10),
    "replay of 10,000": replayOf("r-10000", 10_000, 10),
    "replay of 100 single": replayOf("r-single", 100, 1),
  };
}
