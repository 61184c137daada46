import { sleep, unwrap } from "@tablekeep/core";

/** The half whose version is followed; a combined shadow has one version, and so has one of AWS's manager. */
const half = "reported";

/**
 * A client that reads, writes and deletes shadows, one thing after the other, and records the results. In the
 * separate model it writes the reported half alone, or both by the manager.
 */
export async function clientActor(world, client) {
  let known = new Map();
  for (let turn = 0; turn < client.share; turn++) {
    const id = client.random.pick(world.ids);
    const action = client.calm
      ? "read"
      : client.random.pick(["read", "write", "write", "any", "update", "delete"]);
    if (client.random.chance(0.3)) await sleep(world.clock, client.random.int(1, 400));
    const version = await actions[action](world, client, id, known.get(id)).catch(() => undefined);
    known = new Map(known).set(id, version ?? known.get(id));
  }
}

const actions = {
  async read({ recorder }, { name, shadows }, id) {
    const { version } = await recorder.call(name, { kind: "read", key: id }, async () => {
      const [{ outcome }] = await shadows.read([{ id }]);
      if (outcome.kind !== "ok" && outcome.error.code === "SHADOW_NOT_FOUND") return {};
      const stored = unwrap(outcome)[half];
      return { version: stored?.version, text: stored?.value?.text };
    });
    return version;
  },
  /** From the version that was last heard of. */
  write: (world, client, id, known) => writeText(world, client, id, known ?? 0),
  any: (world, client, id) => writeText(world, client, id, undefined),
  async update(world, { name, manager }, id) {
    const text = `t${++world.texts}`;
    const { version } = await world.recorder.call(name, { kind: "write", key: id, text }, async () => {
      const { current } = unwrap(await manager.report({ id, state: { text } }));
      return { version: current.versions[half] };
    });
    return version;
  },
  async delete({ recorder }, { name, shadows, random }, id, known) {
    const expected = random.chance(0.5) ? known : undefined;
    if (!random.chance(0.3)) return undefined;
    await recorder.call(name, { kind: "delete", key: id, expected }, async () => {
      const version = expected === undefined ? undefined : { [half]: expected };
      const [{ outcome }] = await shadows.delete([{ id, version }]);
      return { version: unwrap(outcome).versions[half] };
    });
    return 0;
  },
};

async function writeText(world, { name, shadows }, id, expected) {
  const text = `t${++world.texts}`;
  const { version } = await world.recorder.call(
    name,
    { kind: "write", key: id, text, expected },
    async () => {
      const desired = world.model === "combined" ? { desired: null } : {};
      const given = expected === undefined ? undefined : { [half]: expected };
      const [{ outcome }] = await shadows.write([{ id, reported: { text }, ...desired, version: given }]);
      return { version: unwrap(outcome).versions[half] };
    },
  );
  return version;
}
