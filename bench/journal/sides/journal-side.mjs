/** Our journal: one writer an id. */
export async function journalSide(_port, journal) {
  const writers = new Map();
  const writerOf = async (id) => {
    if (!writers.has(id)) writers.set(id, await journal.recover(id));
    return writers.get(id);
  };
  const ok = (outcome) => {
    if (outcome.kind !== "ok") throw outcome.error;
  };
  return {
    append: async (id, _version, payload) => ok(await (await writerOf(id)).append({ payload })),
    appendGroup: async (id, _version, payloads) =>
      ok(await (await writerOf(id)).append(payloads.map((payload) => ({ payload })))),
    read: async (id) => {
      let count = 0;
      for await (const { payload } of journal.replay(id)) if (payload !== undefined) count++;
      return count;
    },
  };
}
