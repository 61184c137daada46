import { afterEach, beforeEach, expect, test } from "vitest";
import { type ShadowWorld, shadowWorld } from "./shadow-world.ts";

let world: ShadowWorld;
beforeEach(async () => {
  world = await shadowWorld();
});
afterEach(() => world.engine.close());

/** Both halves of a shadow are read by one transaction, which DynamoDB limits to 4 MB. */
test("shadows of more than 4 MB together are read, each as of one moment", async () => {
  const text = "x".repeat(190_000);
  const ids = Array.from({ length: 15 }, (_, at) => `thing-${at}`);
  const shadows = world.open({ model: "separate" });
  for (const id of ids) {
    const [written] = await shadows.write([{ id, reported: { text }, desired: { text, id } }]);
    expect(written?.outcome.kind).toBe("ok");
  }
  const read = await shadows.read(
    ids.map((id) => ({ id })),
    { atomic: true },
  );
  expect(read.map(({ outcome }) => outcome.kind)).toEqual(ids.map(() => "ok"));
  for (const [at, { outcome }] of read.entries()) {
    expect(outcome).toMatchObject({ value: { desired: { value: { id: ids[at] } } } });
  }
});
