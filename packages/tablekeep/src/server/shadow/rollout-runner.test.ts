import { ensureTable } from "@tablekeep/client";
import { DynamoError, silentLogger, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openRollouts, openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { fakeClock } from "@tablekeep/testkit";
import { expect, onTestFinished, test } from "vitest";
import { RolloutRunner } from "./rollout-runner.ts";

test("a rollout that cannot be continued is logged once, and does not stop the others", async () => {
  const engine = await openEngine({ storage: { kind: "memory" } });
  const table = "things";
  await ensureTable(engine, shadowTableSpec(table));
  const clock = fakeClock();
  let attempts = 0;
  const failing = wrapPort(engine, async (operation, input, options, next) => {
    if (operation === "UpdateItem" && JSON.stringify(input).includes('{"S":"broken"}')) {
      attempts++;
      throw new DynamoError({ exception: "ValidationException", serviceMessage: "broken" });
    }
    return next(operation, input, options);
  });
  const manager = openShadowManager(engine, { table, clock });
  const rollouts = openRollouts(failing, manager, { table, clock });
  for (const name of ["broken", "fine", "later"])
    await rollouts.create({ name, query: "version = 0", desired: { on: true } });
  const errors: object[] = [];
  const logger = { ...silentLogger, error: (_message: string, fields = {}) => void errors.push(fields) };
  const runner = new RolloutRunner({ rollouts, clock, logger });
  runner.start();
  onTestFinished(async () => {
    await runner.close();
    await engine.close();
  });
  const phases = async () => (await rollouts.list()).map(({ name, phase }) => `${name} ${phase}`);
  const again = () => {
    runner.wake();
    return attempts;
  };
  await expect.poll(again).toBeGreaterThan(2);
  expect(await phases()).toEqual(["broken preparing", "fine succeeded", "later succeeded"]);
  expect(errors).toEqual([expect.objectContaining({ rollout: "broken" })]);
});
