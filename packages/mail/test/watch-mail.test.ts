import { DynamoError, sleep, wrapPort } from "@tablekeep/core";
import { fakeClock, faultyPort, seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

describe.each(["sharded", "mhdynamo"] as const)("a watcher of another instance, %s", (layout) => {
  test("gets each of 500 messages once and within 2 s, across restarts of both", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 58) });
    const random = seededRandom(7);
    const options = { layout, clock };
    const port = faultyPort(await engineWithMail({ layout }), "seed=1 faults=[]", { clock });
    const sentAt = new Map<string, number>();
    const delays: number[] = [];
    const seen: string[] = [];
    let lastId: string | undefined;
    let stop = new AbortController();
    const watch = async () => {
      const mail = await openMail(port, options);
      for await (const { id } of mail.watch({ signal: stop.signal, after: lastId })) {
        seen.push(id);
        delays.push(clock.now() - (sentAt.get(id) ?? clock.now()));
        lastId = id;
      }
      await mail.close();
    };
    const work = async () => {
      let sender = await openMail(port, options);
      let watching = watch();
      await sleep(clock, 1000);
      for (let n = 1; n <= 500; n++) {
        await sleep(clock, Math.floor(random() * 300));
        const { id } = await sender.store(envelope, letter(String(n)));
        sentAt.set(id, clock.now());
        if (n === 300) sender = await openMail(port, options);
        if (n !== 200) continue;
        await sleep(clock, 1000);
        stop.abort();
        await watching;
        stop = new AbortController();
        watching = watch();
      }
      await sleep(clock, 3000);
      stop.abort();
      await watching;
    };
    await clock.autoAdvance(work, { busy: () => port.busy() });
    expect(seen).toHaveLength(500);
    expect(new Set(seen)).toEqual(new Set(sentAt.keys()));
    expect(delays.toSorted((one, other) => one - other)[494]).toBeLessThan(2000);
  }, 300_000);
});

describe("a watcher", () => {
  test("gets a message whose store took long, and one of a clock that is behind", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 30) });
    const behind = { ...clock, now: () => clock.now() - 20_000 };
    const port = faultyPort(await engineWithMail(), "seed=1 faults=[{op:PutItem,nth:1,kind:delay,ms:8000}]", {
      clock,
    });
    const stop = new AbortController();
    const seen: string[] = [];
    const work = async () => {
      const mail = await openMail(port, { clock });
      const watching = (async () => {
        for await (const { subject } of mail.watch({ signal: stop.signal })) seen.push(subject);
      })();
      await sleep(clock, 100);
      const late = (await openMail(port, { clock })).store(envelope, letter("late"));
      await (await openMail(port, { clock: behind })).store(envelope, letter("behind"));
      for (let n = 0; n < 20; n++) {
        await sleep(clock, 500);
        await (await openMail(port, { clock })).store(envelope, letter("usual"));
      }
      await late;
      await sleep(clock, 15_000);
      stop.abort();
      await watching;
      await mail.close();
    };
    await clock.autoAdvance(work, { busy: () => port.busy() });
    expect(seen.filter((subject) => subject === "usual")).toHaveLength(20);
    expect(seen.toSorted()).toEqual([...Array<string>(20).fill("usual"), "behind", "late"].toSorted());
  });

  test("goes on after a look that failed", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
    const engine = await engineWithMail();
    const port = faultyPort(
      engine,
      "seed=1 faults=[{op:Query,nth:20..60,kind:refuse,exception:AccessDeniedException}]",
      { clock },
    );
    const stop = new AbortController();
    const work = async () => {
      const mail = await openMail(port, { clock });
      const watcher = mail.watch({ signal: stop.signal })[Symbol.asyncIterator]();
      const first = watcher.next();
      await sleep(clock, 2000);
      await (await openMail(engine, { clock })).store(envelope, letter("found"));
      const { value } = await first;
      stop.abort();
      await watcher.return?.();
      await mail.close();
      return value?.subject;
    };
    expect(await clock.autoAdvance(work, { busy: () => port.busy() })).toBe("found");
  });

  test("gets what came while its looks failed, however long that took, and each once", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 50) });
    const engine = await engineWithMail();
    let down = false;
    const plain = faultyPort(engine, "seed=1 faults=[]", { clock });
    const port = wrapPort(plain, (operation, input, options, next) => {
      if (down && operation === "Query")
        throw new DynamoError({ exception: "AccessDeniedException", serviceMessage: "down" });
      return next(operation, input, options);
    });
    const stop = new AbortController();
    const seen: string[] = [];
    const work = async () => {
      const mail = await openMail(port, { clock });
      const other = await openMail(plain, { clock });
      const watching = (async () => {
        for await (const { subject } of mail.watch({ signal: stop.signal })) seen.push(subject);
      })();
      await sleep(clock, 2000);
      await other.store(envelope, letter("before"));
      await sleep(clock, 2000);
      down = true;
      await mail.store(envelope, letter("own"));
      await other.store(envelope, letter("early"));
      await sleep(clock, 1_200_000);
      await other.store(envelope, letter("late"));
      await sleep(clock, 60_000);
      down = false;
      await sleep(clock, 3000);
      expect(seen).toEqual(["before", "own", "early", "late"]);
      await sleep(clock, 700_000);
      stop.abort();
      await watching;
      await mail.close();
    };
    await clock.autoAdvance(work, { busy: () => plain.busy() });
    expect(seen).toEqual(["before", "own", "early", "late"]);
  });

  test("is as fast as ever after its clock was an hour ahead for a while", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 30) });
    const port = faultyPort(await engineWithMail(), "seed=1 faults=[]", { clock });
    const stop = new AbortController();
    const seen: string[] = [];
    const work = async () => {
      const mail = await openMail(port, { clock });
      const watching = (async () => {
        for await (const { subject } of mail.watch({ signal: stop.signal })) seen.push(subject);
      })();
      await sleep(clock, 2000);
      clock.jump(3_600_000);
      await mail.store(envelope, letter("ahead"));
      clock.jump(-3_600_000);
      await sleep(clock, 2000);
      await (await openMail(port, { clock })).store(envelope, letter("usual"));
      await sleep(clock, 2000);
      stop.abort();
      await watching;
      await mail.close();
    };
    await clock.autoAdvance(work, { busy: () => port.busy() });
    expect(seen).toEqual(["ahead", "usual"]);
  });

  test("that begins after its store was closed is refused, and looks for nothing", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
    const mail = await openMail(await engineWithMail(), { clock });
    const watcher = mail.watch()[Symbol.asyncIterator]();
    await mail.close();
    await expect(watcher.next()).rejects.toMatchObject({ code: "MAIL_CLOSED" });
    expect(clock.pending).toBe(0);
  });
});
