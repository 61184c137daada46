/**
 * Cold loads of entities: commands without events to entities that are not in memory, so that each takes over as the writer
 * and rebuilds the state. 60 events of 1 KB, with a snapshot after the first 50, and the same without snapshots.
 */
const events = 60;
const covered = 50;
/** A host that keeps one entity in memory loads every one of these again. */
const ids = Array.from({ length: 20 }, (_unused, at) => `counter-${at}`);
const data = "x".repeat(950);

/** @param {object} packages what the client, journal and entity packages of this checkout export */
export async function coldLoads(port, packages) {
  const { ensureTable, journalTableSpec, openJournal, openSnapshots, snapshotTableSpec } = packages;
  const options = { table: "bench-events" };
  await ensureTable(port, journalTableSpec(options));
  const journal = await openJournal(port, options);
  const snapshots = await openOwnSnapshots();
  return {
    "cold load with a snapshot": await loads("with", { snapshots, snapshotEvery: covered }),
    "cold load without a snapshot": await loads("without", {}),
  };

  /** In the place that a version has them by default: beside the events, or, in the first version, in a separate table. */
  async function openOwnSnapshots() {
    if ("load" in journal) return openSnapshots(port, { journal: options });
    const table = "bench-snapshots";
    await ensureTable(port, snapshotTableSpec(table));
    return openSnapshots(port, { table });
  }

  async function loads(type, given) {
    const counter = packages.defineEntity({
      type,
      initial: () => ({ count: 0 }),
      decide: (command, { count }) =>
        command.type === "show" ? { reply: count } : { events: { type: "counted", data }, reply: count + 1 },
      evolve: ({ count }, event) => ({ count: count + 1, data: event.data }),
    });
    const open = (more) =>
      packages.openEntities({ journal, entities: [counter], deadlineMs: 60_000, ...given, ...more });
    const writing = await open({});
    for (const id of ids)
      for (let at = 0; at < events; at++) await writing.of(counter).ask(id, { type: "count" });
    await writing.close();
    const reading = (await open({ maxLoaded: 1 })).of(counter);
    let turn = 0;
    return {
      inFlight: 1,
      run: async () => {
        const count = await reading.ask(ids[turn++ % ids.length], { type: "show" });
        if (count !== events) throw new Error(`${count} instead of ${events} events`);
      },
    };
  }
}
