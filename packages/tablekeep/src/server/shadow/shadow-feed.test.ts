import { ClientError, ensureTable } from "@tablekeep/client";
import { type Clock, silentLogger, systemClock, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openShadowManager, type ShadowChange, shadowTableSpec } from "@tablekeep/shadow";
import { type Fault, fakeClock, faultyPort } from "@tablekeep/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../../test/shadow/packet-client.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { shadowFeed } from "./shadow-feed.ts";

test("a write whose caller aborts it in flight is reported once it is stored", async () => {
  await using engine = await openEngine({ storage: { kind: "folder", path: tempFolder() } });
  const table = shadowTableSpec().name;
  await ensureTable(engine, shadowTableSpec());
  // The caller aborts as soon as the write is sent, as a deadline does at the worst moment.
  let gone = new AbortController();
  const port = wrapPort(engine, (operation, input, options, next) => {
    const answer = next(operation, input, options);
    if (/^(?:updateItem|transactWriteItems)$/i.test(operation)) gone.abort(new Error("too late"));
    return answer;
  });
  const manager = openShadowManager(port);
  const feed = shadowFeed({ engine }, { table, manager, clock: systemClock, logger: silentLogger });
  const received: ShadowChange[] = [];
  feed.listen((change) => received.push(change));
  for (const version of [1, 2, 3]) {
    gone = new AbortController();
    const outcome = await manager.report({ id: "lamp", state: { version } }, { signal: gone.signal });
    expect(outcome.kind).toBe("unknown");
    await until(() => received.length === version);
    expect(received.at(-1)).toMatchObject({ kind: "updated", version, update: { current: { version } } });
  }
  await feed.close();
  await openShadowManager(engine).report({ id: "lamp", state: { version: 4 } });
  expect(received).toHaveLength(3);
});

describe("behind a port of the caller's", () => {
  /** A manager whose caller aborts as soon as a write is sent; `lose` determines what happens to the write. */
  async function start(clock: Clock = systemClock) {
    const engine = await openEngine({ storage: { kind: "memory" } });
    await ensureTable(engine, shadowTableSpec());
    let lose: "nothing" | "answer" | "write" = "nothing";
    let gone = new AbortController();
    const port = wrapPort(engine, async (operation, input, options, next) => {
      if (lose === "nothing" || !/^(?:updateItem|transactWriteItems)$/i.test(operation))
        return next(operation, input, options);
      if (lose === "answer") await next(operation, input, {});
      gone.abort(new Error("too late"));
      throw new ClientError("CLIENT_ABORTED", "too late", { attempts: 1 }, { ambiguous: true });
    });
    const options = { table: shadowTableSpec().name, clock, logger: silentLogger };
    const feed = shadowFeed(
      { engine: undefined },
      { ...options, manager: openShadowManager(port, { clock }) },
    );
    onTestFinished(async () => {
      await feed.close();
      await engine.close();
    });
    const received: ShadowChange[] = [];
    feed.listen((change) => received.push(change));
    const report = async (value: number, losing: typeof lose = "nothing", id = "lamp") => {
      lose = losing;
      gone = new AbortController();
      const { signal } = gone;
      const { kind } = await feed.manager.report({ id, state: { value } }, { signal });
      lose = "nothing";
      return kind;
    };
    const seen = () =>
      received.map(
        (change) => change.kind === "updated" && [change.version, change.update.current.state.reported],
      );
    return { feed, report, received, seen };
  }

  test("an update of unknown outcome is announced once it is found", async () => {
    const { report, received, seen } = await start();
    for (const value of [1, 2, 3]) {
      expect(await report(value, "answer")).toBe("unknown");
      await until(() => received.length === value);
    }
    expect(await report(4)).toBe("ok");
    expect(seen()).toEqual([1, 2, 3, 4].map((value) => [value, { value }]));
  });

  test("an update that follows it at once is announced after it", async () => {
    const { report, seen } = await start();
    await report(1);
    expect(await report(2, "answer")).toBe("unknown");
    expect(await report(3)).toBe("ok");
    expect(seen()).toEqual([1, 2, 3].map((value) => [value, { value }]));
  });

  test("an update that was never stored is not announced", async () => {
    const { report, seen } = await start();
    await report(1);
    expect(await report(2, "write")).toBe("unknown");
    expect(await report(3)).toBe("ok");
    expect(await report(4, "write")).toBe("unknown");
    // Longer than the first wait.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(seen()).toEqual([
      [1, { value: 1 }],
      [2, { value: 3 }],
    ]);
  });

  test("at most 1,000 updates of unknown outcome are polled for at a time", async () => {
    const clock = fakeClock();
    const { report, received } = await start(clock);
    for (let n = 0; n < 1_000; n++) expect(await report(n, "write", `absent-${n}`)).toBe("unknown");
    expect(await report(1, "answer", "given-up")).toBe("unknown");
    await clock.advance(60_000);
    expect(received).toEqual([]);
    expect(await report(1, "answer", "found")).toBe("unknown");
    await clock.advance(60_000);
    expect(received).toMatchObject([{ id: "found", version: 1 }]);
  });
  describe("a delete of unknown outcome", () => {
    /** Deletes version 1 of `lamp` in fake time. The read is request 1, the delete 2, and its read-back 3. */
    async function deleteUnder(faults: readonly Fault[]) {
      const clock = fakeClock();
      const engine = await openEngine({ storage: { kind: "memory" } });
      await ensureTable(engine, shadowTableSpec());
      await openShadowManager(engine, { clock }).report({ id: "lamp", state: { on: true } });
      const port = faultyPort(engine, { seed: 1, faults }, { clock });
      const opened = openShadowManager(port, { clock });
      const options = { table: shadowTableSpec().name, manager: opened, clock, logger: silentLogger };
      const feed = shadowFeed({ engine: undefined }, options);
      onTestFinished(async () => {
        await feed.close();
        await engine.close();
      });
      const received: string[] = [];
      feed.listen(({ kind, version }) => received.push(`${kind} ${version}`));
      const { kind } = await clock.autoAdvance(() => feed.manager.delete({ id: "lamp" }), {
        busy: () => port.busy(),
      });
      expect(kind).toBe("unknown");
      return { clock, received, manager: feed.manager };
    }
    const applied: readonly Fault[] = [
      { kind: "hang-after-apply", at: 2 },
      { kind: "hang", at: 3 },
    ];

    test("is announced once it is found", async () => {
      const { clock, received } = await deleteUnder(applied);
      await clock.advance(60_000);
      expect(received).toEqual(["deleted 1"]);
    });

    test("is announced before an update that creates the shadow again", async () => {
      const { clock, received, manager } = await deleteUnder(applied);
      expect((await manager.report({ id: "lamp", state: { on: false } })).kind).toBe("ok");
      await clock.advance(60_000);
      expect(received).toEqual(["deleted 1", "updated 2"]);
    });

    test("is not announced if it was never applied", async () => {
      const { clock, received, manager } = await deleteUnder([{ kind: "hang", at: [2, 3] }]);
      await clock.advance(60_000);
      expect(received).toEqual([]);
      expect((await manager.delete({ id: "lamp" })).kind).toBe("ok");
      expect(received).toEqual(["deleted 1"]);
    });
  });
});
