import { ensureTable } from "@tablekeep/client";
import { DynamoError, silentLogger, unwrap, wrapPort } from "@tablekeep/core";
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

test("a server that stops lets another one continue its rollouts at once", async () => {
  const engine = await openEngine({ storage: { kind: "memory" } });
  const table = "things";
  await ensureTable(engine, shadowTableSpec(table));
  const clock = fakeClock();
  const manager = openShadowManager(engine, { table, clock });
  unwrap(await manager.report({ id: "lamp", state: { on: false } }));
  const start = () => {
    const rollouts = openRollouts(engine, manager, { table, clock });
    const runner = new RolloutRunner({ rollouts, clock, logger: silentLogger });
    runner.start();
    return { rollouts, runner };
  };
  const { rollouts, runner } = start();
  await rollouts.create({ name: "v2", query: "reported.on exists", desired: { on: true } });
  runner.wake();
  await expect.poll(async () => (await manager.get({ id: "lamp" }))?.state.desired).toEqual({ on: true });
  await runner.close();
  unwrap(await manager.report({ id: "lamp", state: { on: true } }));
  const { runner: other } = start();
  onTestFinished(async () => {
    await other.close();
    await engine.close();
  });
  await expect.poll(async () => (await rollouts.get("v2"))?.phase).toBe("succeeded");
});
