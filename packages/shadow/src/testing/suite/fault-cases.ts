import assert from "node:assert/strict";
import { unwrap } from "@tablekeep/core";
import { both, type ShadowCase, type ShadowsUnderTest, stored, writes } from "./shadow-case.ts";

/** Everything, once, in the presence of faults. */
async function everything({ shadows, manager }: ShadowsUnderTest, unique: () => string): Promise<void> {
  const [id, managed] = [unique(), unique()];
  await writes(shadows, both(id, { n: 1 }, 0), 1);
  for (const version of [1, 2, 3]) await writes(shadows, both(id, { n: version + 1 }, version), version + 1);
  assert.deepEqual(await stored(shadows, id, "reported"), { n: 4 });
  for (const n of [1, 2, 3]) unwrap(await manager.report({ id: managed, state: { n } }));
  const view = await manager.get({ id: managed });
  assert.deepEqual([view?.versions.reported, view?.state.reported], [3, { n: 3 }]);
}

function faultCase(name: string, source: string, faults: string): ShadowCase {
  return {
    name,
    source,
    needsFaults: true,
    run: async (world) => everything(await world.withFaults(`seed=1 faults=[${faults}]`), world.unique),
  };
}

/** Reads of several shadows at once. */
async function readMany({ shadows }: ShadowsUnderTest, unique: () => string): Promise<void> {
  const ids = [unique(), unique(), unique()];
  await shadows.write(ids.map((id) => both(id, { id })));
  const results = await shadows.read(ids.map((id) => ({ id })));
  const values = results.map(({ outcome }) =>
    outcome.kind === "ok" ? outcome.value.reported?.value : outcome,
  );
  assert.deepEqual(
    values,
    ids.map((id) => ({ id })),
  );
}

/** Behavior when requests fail. */
export const faultCases: readonly ShadowCase[] = [
  faultCase(
    "a write whose response is lost is stored once, and reported as stored",
    "defect: a retried write that meets its own success is a conflict",
    "{kind:lost-after-apply,op:UpdateItem,p:.5},{kind:lost-after-apply,op:TransactWriteItems,p:.5}",
  ),
  faultCase(
    "a write that is lost in transit is sent again",
    "defect: a lost request is reported as failed",
    "{kind:lost-before-apply,op:UpdateItem,p:.5},{kind:error-before-apply,op:TransactWriteItems,p:.5}",
  ),
  faultCase(
    "writes that meet another transaction are sent again",
    "defect: a locked item is a conflict",
    "{kind:transaction-conflict,op:UpdateItem,p:.4},{kind:transaction-conflict,op:TransactWriteItems,p:.4}",
  ),
  faultCase(
    "reads that are throttled or lost are sent again",
    "defect: a throttled read is taken for a deleted shadow",
    "{kind:throttle,op:GetItem,p:.5},{kind:throttle,op:BatchGetItem,p:.3},{kind:lost-before-apply,op:GetItem,p:.2}",
  ),
  {
    name: "requests unprocessed items again",
    source: "defect: a throttled read is taken for deleted shadows",
    needsFaults: true,
    run: async (world) => {
      const faults = "{nth:1,kind:unprocessed,share:1,rounds:2}";
      await readMany(await world.withFaults(`seed=1 faults=[${faults}]`), world.unique);
    },
  },
];
