import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, type OperationName, silentLogger, sleep, wrapPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { awsShadows, openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { type Fault, fakeClock, faultyPort } from "@tablekeep/testkit";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { shadowFeed } from "./shadow-feed.ts";
import { type ShadowMessage, shadowService } from "./shadow-service.ts";

const request = { thingName: "lamp", shadowName: "", action: "update" } as const;
const topic = "$aws/things/lamp/shadow/update";
const update = (n: number) => JSON.stringify({ state: { reported: { [`k${n}`]: n } }, clientToken: `t${n}` });
/** A rejection that is sent now. */
const rejection = (code: number, message: string, clientToken: string) => {
  const timestamp = Math.floor(clock.now() / 1000);
  return [{ topic: `${topic}/rejected`, payload: JSON.stringify({ code, message, timestamp, clientToken }) }];
};

let engine: Engine;
let clock = fakeClock();
beforeEach(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, shadowTableSpec());
  clock = fakeClock();
  return () => engine.close();
});

/** A service behind a port, with the announcements that it publishes. */
function serviceOn(port: DynamoPort) {
  const published: ShadowMessage[] = [];
  const opened = openShadowManager(port, { clock });
  const options = { table: shadowTableSpec().name, manager: opened, clock, logger: silentLogger };
  const feed = shadowFeed({ engine: undefined }, options);
  onTestFinished(() => feed.close());
  const { manager } = feed;
  const service = shadowService({
    shadows: awsShadows(manager, clock),
    limits: manager.limits,
    clock,
    feed,
    publish: (message) => published.push(message),
    onUnexpected: (error) => expect.unreachable(String(error)),
  });
  return { service, published };
}

const stored = () => openShadowManager(engine, { clock }).get({ id: "lamp" });

describe("an update whose deadline passes before anything is sent", () => {
  test("in the queue of its shadow is rejected with 503, and never stored", async () => {
    const faults: Fault[] = [{ kind: "hang", op: "GetItem", nth: 1 }];
    const port = faultyPort(engine, { seed: 1, faults }, { clock });
    const { service, published } = serviceOn(port);
    const answers = Promise.all([1, 2].map((n) => service.answer(request, update(n))));
    await clock.advance(10_000);
    expect(await answers).toEqual([
      rejection(503, "Service unavailable", "t1"),
      rejection(503, "Service unavailable", "t2"),
    ]);
    await clock.advance(60_000);
    expect(port.requestCount()).toBe(1);
    expect([await stored(), published]).toEqual([undefined, []]);
  });

  test("while the shadow is read is rejected with 503, and never stored", async () => {
    const sent: OperationName[] = [];
    // A busy process notices the answer before the deadline.
    const late = wrapPort(engine, async (operation, input, _options, next) => {
      sent.push(operation);
      const answer = await next(operation, input, {});
      await sleep(clock, 10_000);
      return answer;
    });
    const { service, published } = serviceOn(late);
    const answer = await clock.autoAdvance(() => service.answer(request, update(1)));
    expect(answer).toEqual(rejection(503, "Service unavailable", "t1"));
    await clock.advance(60_000);
    expect(sent).toEqual(["GetItem"]);
    expect([await stored(), published]).toEqual([undefined, []]);
  });
});

describe("an update whose deadline passes after it was sent", () => {
  const answerUnder = async (faults: readonly Fault[]) => {
    const port = faultyPort(engine, { seed: 1, faults }, { clock });
    const { service, published } = serviceOn(port);
    const answer = await clock.autoAdvance(() => service.answer(request, update(1)), {
      busy: () => port.busy(),
    });
    // AWS IoT's answer that leaves the outcome open.
    expect(answer).toEqual(rejection(500, "Internal service failure", "t1"));
    await clock.advance(60_000);
    return published.map((message) => message.topic);
  };

  test("is answered with 500, and announced when it is found", async () => {
    const published = await answerUnder([
      { kind: "hang-after-apply", at: 2 },
      { kind: "hang", at: 3 },
    ]);
    expect(await stored()).toMatchObject({ version: 1 });
    expect(published).toEqual([`${topic}/documents`]);
  });

  test("is answered with 500, and not announced if it was never stored", async () => {
    const published = await answerUnder([{ kind: "hang", at: [2, 3] }]);
    expect(await stored()).toBeUndefined();
    expect(published).toEqual([]);
  });
});
