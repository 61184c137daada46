import { ensureTable } from "@tablekeep/client";
import { silentLogger, sleep, systemClock, unwrap, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { awsShadows, openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { expect, onTestFinished, test } from "vitest";
import { RunningRules } from "../../src/server/shadow/rules/run-rules.ts";
import { hookServer } from "./hook-server.ts";
import { until } from "./packet-client.ts";

test.each([false, true])(
  "many rules with many events cause no warning of Node, with a lease: %s",
  async (isShared) => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => void warnings.push(name);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const { url, posted } = await hookServer();
    const engine = await openEngine({ storage: { kind: "memory" } });
    onTestFinished(() => engine.close());
    await ensureTable(engine, shadowTableSpec());
    const manager = openShadowManager(engine);
    // Reads of a queue take a moment, and each listens to its signal.
    const port = wrapPort(engine, async (operation, input, options, next) => {
      if (operation === "GetItem") await sleep(systemClock, 20, options?.signal);
      return next(operation, input, options);
    });
    const running = new RunningRules({
      rules: Array.from({ length: 12 }, (_, at) => ({ name: `rule-${at}`, on: "update", url })),
      port,
      table: shadowTableSpec().name,
      manager,
      shadows: awsShadows(manager, systemClock),
      isShared,
      createStream: true,
      clock: systemClock,
      logger: silentLogger,
    });
    await running.start();
    onTestFinished(() => running.close());
    for (let at = 0; at < 20; at++) unwrap(await manager.report({ id: `lamp-${at}`, state: { on: true } }));
    await until(() => posted.length === 240);
    expect(warnings).toEqual([]);
  },
);
