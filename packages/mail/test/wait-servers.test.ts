import { type Clock, type DynamoPort, systemClock, wrapPort } from "@tablekeep/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Mail, type MailOptions, openMail } from "../src/index.ts";
import { engineWithMail } from "./engine-mail.ts";

const store = (mail: Mail, subject: string, to = "c@d.example") =>
  mail.store({ from: "a@b.example", to: [to], helo: "h" }, Buffer.from(`Subject: ${subject}\r\n\r\nx\r\n`));
const wanted = { to: "c@d.example" };
/** Far longer than needed: nothing here waits for it. */
const patient = { deadlineMs: 300_000 };
// Slow is fine: nothing is left to wait for, and a slow machine returns undefined as well.
const impatient = { deadlineMs: 50 };

/** Cursors allow for seconds between the id of a message and its commit. On this clock, a slow machine does not need more. */
function slowClock(): Clock {
  const start = systemClock.now();
  return { ...systemClock, now: () => start + Math.floor((systemClock.now() - start) / 30) };
}

/** Two instances on one table, which learn of each other's messages only when a call starts. */
async function twoInstances(onOne: (port: DynamoPort) => DynamoPort = (port) => port) {
  const port = await engineWithMail();
  const options: MailOptions = { pollMs: 1_000_000, clock: slowClock() };
  const [one, two] = [await openMail(onOne(port), options), await openMail(port, options)];
  onTestFinished(async () => {
    await one.close();
    await two.close();
  });
  return { one, two };
}

/** Counts the requests of a port. */
function countedRequests() {
  let [inFlight, all] = [0, 0];
  return {
    count: (port: DynamoPort): DynamoPort =>
      wrapPort(port, async (operation, input, options, next) => {
        all++;
        inFlight++;
        try {
          return await next(operation, input, options);
        } finally {
          inFlight--;
        }
      }),
    /** Resolves once requests were sent, and none has followed them for many turns of the event loop. */
    async idle() {
      let known = all;
      for (let quiet = 0; quiet < 200; quiet++) {
        await new Promise((resolve) => void setImmediate(resolve));
        if (inFlight > 0 || all === 0 || known !== all) quiet = 0;
        known = all;
      }
    },
  };
}

describe("waiting with a cursor of another instance", () => {
  test("returns a message that the first instance had not noticed when it returned a later one", async () => {
    const requests = countedRequests();
    const { one, two } = await twoInstances(requests.count);
    await store(one, "before");
    const since = (await one.waitFor(wanted, patient))?.cursor ?? "";
    const waiting = one.waitFor({ ...wanted, since }, patient);
    // The wait has found nothing, and goes on to what is announced.
    await requests.idle();
    await store(two, "unnoticed");
    await store(one, "for another", "x@d.example");
    await store(one, "noticed");
    const first = await waiting;
    expect(first?.subject).toBe("noticed");
    const second = await two.waitFor({ ...wanted, since: first?.cursor ?? "" }, patient);
    expect(second?.subject).toBe("unnoticed");
    // Neither instance returns one of them again.
    for (const mail of [one, two])
      expect(await mail.waitFor({ ...wanted, since: second?.cursor ?? "" }, impatient)).toBeUndefined();
    await store(one, "last");
    for (const mail of [one, two])
      expect((await mail.waitFor({ ...wanted, since: second?.cursor ?? "" }, patient))?.subject).toBe("last");
  });

  test("returns each message once, whichever instance is asked", async () => {
    const { one, two } = await twoInstances();
    const instances = [one, two];
    let since = await one.position();
    const subjects = Array.from({ length: 60 }, (_, n) => `no ${n}`);
    const found: string[] = [];
    const stored = Promise.all(subjects.map((subject, n) => store(instances[n % 2] as Mail, subject)));
    for (let at = 0; at < 20; at++) {
      const message = await instances[at % 2]?.waitFor({ ...wanted, since }, patient);
      found.push(message?.subject ?? "none");
      since = message?.cursor ?? since;
    }
    await stored;
    for (let at = 0; found.length < subjects.length; at++) {
      const message = await instances[(at >> 1) % 2]?.waitFor({ ...wanted, since }, patient);
      found.push(message?.subject ?? "none");
      since = message?.cursor ?? since;
    }
    expect(found.toSorted()).toEqual(subjects.toSorted());
    for (const mail of instances) expect(await mail.waitFor({ ...wanted, since }, impatient)).toBeUndefined();
    // A cursor has to fit into a URL.
    expect(since.length).toBeLessThan(1_000);
  });

  test("misses and repeats none, however many messages for others arrive", async () => {
    const requests = countedRequests();
    const { one, two } = await twoInstances(requests.count);
    await store(one, "before");
    let since = (await one.waitFor(wanted, patient))?.cursor ?? "";
    for (const round of [1, 2]) {
      const waiting = one.waitFor({ ...wanted, since }, patient);
      await requests.idle();
      await store(two, `unnoticed ${round}`);
      await Promise.all(Array.from({ length: 600 }, () => store(one, "for another", "x@d.example")));
      await store(one, `noticed ${round}`);
      const first = await waiting;
      expect(first?.subject).toBe(`noticed ${round}`);
      const second = await two.waitFor({ ...wanted, since: first?.cursor ?? "" }, patient);
      expect(second?.subject).toBe(`unnoticed ${round}`);
      since = second?.cursor ?? "";
      for (const mail of [one, two])
        expect(await mail.waitFor({ ...wanted, since }, impatient)).toBeUndefined();
      // A cursor has to fit into a URL.
      expect(since.length).toBeLessThan(4_000);
    }
  });

  test("returns each of more than a hundred messages in a moment once", async () => {
    const requests = countedRequests();
    const { one, two } = await twoInstances(requests.count);
    await store(one, "before");
    let since = (await one.waitFor(wanted, patient))?.cursor ?? "";
    const waiting = one.waitFor({ ...wanted, since }, patient);
    await requests.idle();
    await store(two, "unnoticed");
    const subjects = Array.from({ length: 130 }, (_, n) => `no ${n}`);
    for (const subject of subjects) await store(one, subject);
    const found: (string | undefined)[] = [];
    for (let message = await waiting; message !== undefined; ) {
      found.push(message.subject);
      since = message.cursor;
      if (found.length > subjects.length) break;
      const mail = found.length < subjects.length ? one : two;
      message = await mail.waitFor({ ...wanted, since }, patient);
    }
    expect(found.toSorted()).toEqual([...subjects, "unnoticed"].toSorted());
    for (const mail of [one, two])
      expect(await mail.waitFor({ ...wanted, since }, impatient)).toBeUndefined();
  });

  test("continues a watcher, which may repeat messages", async () => {
    const { one, two } = await twoInstances();
    await store(one, "first");
    const after = (await one.waitFor({ since: "" }, patient))?.cursor ?? "";
    await store(two, "second");
    for (const mail of [one, two]) {
      const subjects: string[] = [];
      for await (const { subject } of mail.watch({ after })) {
        subjects.push(subject);
        if (subject === "second") break;
      }
      expect(subjects.filter((subject) => subject !== "first")).toEqual(["second"]);
    }
  });
});
