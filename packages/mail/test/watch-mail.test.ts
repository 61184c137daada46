import { DynamoError, sleep, wrapPort } from "@tablekeep/core";
import { fakeClock, faultyPort, seededRandom } from "@tablekeep/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
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
  });
});

describe("a watcher", () => {
  test("receives a message whose store took long, and one from a clock that is behind", async () => {
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

  test("continues after a failed poll", async () => {
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

  test("receives each message of an outage once, however long the outage", async () => {
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

  test.each(["at once", "after an outage"])(
    "that joins others %s receives no earlier messages",
    async (when) => {
      const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 50) });
      const plain = faultyPort(await engineWithMail(), "seed=1 faults=[]", { clock });
      let down = false;
      const port = wrapPort(plain, (operation, input, options, next) => {
        if (down && operation === "Query")
          throw new DynamoError({ exception: "AccessDeniedException", serviceMessage: "down" });
        return next(operation, input, options);
      });
      const stop = new AbortController();
      const seen: { readonly [name: string]: string[] } = { first: [], second: [] };
      const work = async () => {
        const mail = await openMail(port, { clock });
        const other = await openMail(plain, { clock });
        const watch = async (name: string) => {
          for await (const { subject } of mail.watch({ signal: stop.signal })) seen[name]?.push(subject);
        };
        const first = watch("first");
        await sleep(clock, 2100);
        if (when === "after an outage") {
          down = true;
          await other.store(envelope, letter("long before"));
          await sleep(clock, 60_000);
          // As for the first watcher: existing messages cannot be distinguished.
          await expect(watch("second")).rejects.toMatchObject({ kind: "denied" });
          down = false;
        }
        await other.store(envelope, letter("before"));
        await sleep(clock, 1);
        const second = watch("second");
        await sleep(clock, 1);
        await other.store(envelope, letter("after"));
        await sleep(clock, 3000);
        stop.abort();
        await Promise.all([first, second]);
        await mail.close();
      };
      await clock.autoAdvance(work, { busy: () => plain.busy() });
      expect(seen["first"]).toEqual([...(when === "at once" ? [] : ["long before"]), "before", "after"]);
      expect(seen["second"]).toEqual(["after"]);
    },
  );

  test("that joins others misses nothing that arrives while it joins", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 50) });
    const slow = faultyPort(
      await engineWithMail(),
      "seed=1 faults=[{op:Query,nth:6..9999,kind:delay,ms:300}]",
      {
        clock,
      },
    );
    const stop = new AbortController();
    const seen: string[] = [];
    const work = async () => {
      const mail = await openMail(slow, { clock, pollMs: 100 });
      const other = await openMail(slow, { clock });
      const first = mail.watch({ signal: stop.signal })[Symbol.asyncIterator]().next();
      await sleep(clock, 2000);
      const second = (async () => {
        for await (const { subject } of mail.watch({ signal: stop.signal })) seen.push(subject);
      })();
      await sleep(clock, 50);
      await mail.store(envelope, letter("own"));
      await other.store(envelope, letter("another's"));
      await sleep(clock, 5000);
      stop.abort();
      await Promise.all([first, second]);
      await mail.close();
    };
    await clock.autoAdvance(work, { busy: () => slow.busy() });
    expect(seen.toSorted()).toEqual(["another's", "own"]);
  });

  test("that joins as another leaves gets nothing from the other's poll", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 50) });
    const layout = "mhdynamo";
    const plain = faultyPort(await engineWithMail({ layout }), "seed=1 faults=[]", { clock });
    let lateMs = 0;
    const port = wrapPort(plain, async (operation, input, options, next) => {
      const ms = operation === "Query" ? lateMs : 0;
      const answer = await next(operation, input, options);
      if (ms > 0) await sleep(clock, ms);
      return answer;
    });
    const [gone, stop] = [new AbortController(), new AbortController()];
    const seen: string[] = [];
    const work = async () => {
      const mail = await openMail(port, { clock, layout });
      const first = mail.watch({ signal: gone.signal })[Symbol.asyncIterator]().next();
      await sleep(clock, 2100);
      await (await openMail(plain, { clock, layout })).store(envelope, letter("before"));
      lateMs = 200;
      await sleep(clock, 500);
      lateMs = 1000;
      gone.abort();
      await first;
      const second = (async () => {
        for await (const { subject } of mail.watch({ signal: stop.signal })) seen.push(subject);
      })();
      await sleep(clock, 3000);
      stop.abort();
      await second;
      await mail.close();
    };
    await clock.autoAdvance(work, { busy: () => plain.busy() });
    expect(seen).toEqual([]);
  });

  test("is not slower after its clock was an hour ahead for a while", async () => {
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

  test("of a table with many shards causes no warning about listeners", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 30) });
    const port = faultyPort(await engineWithMail({ clock }), "seed=1 faults=[]", { clock });
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => void warnings.push(name);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const stop = new AbortController();
    const seen: string[] = [];
    const work = async () => {
      const mail = await openMail(port, { clock, shards: 32 });
      const other = await openMail(port, { clock, shards: 32 });
      const watching = (async () => {
        for await (const { subject } of mail.watch({ signal: stop.signal })) seen.push(subject);
      })();
      await sleep(clock, 2000);
      await other.store(envelope, letter("new"));
      await sleep(clock, 2000);
      stop.abort();
      await watching;
      await mail.close();
      await other.close();
    };
    await clock.autoAdvance(work, { busy: () => port.busy() });
    expect(seen).toEqual(["new"]);
    expect(warnings).not.toContain("MaxListenersExceededWarning");
  });

  test("that starts after its store was closed is rejected, and does not poll", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
    const mail = await openMail(await engineWithMail(), { clock });
    const watcher = mail.watch()[Symbol.asyncIterator]();
    await mail.close();
    await expect(watcher.next()).rejects.toMatchObject({ code: "MAIL_CLOSED" });
    expect(clock.pending).toBe(0);
  });
});
