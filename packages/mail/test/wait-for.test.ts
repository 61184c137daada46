import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { isMailError, type Mail, openMail } from "../src/index.ts";
import { engineWithMail } from "./engine-mail.ts";

const raw = (subject: string, from = "Ann <ann@b.example>") =>
  Buffer.from(`From: ${from}\r\nSubject: ${subject}\r\n\r\nhello\r\n`);
const store = (mail: Mail, subject: string, to = "c@d.example", from?: string) =>
  mail.store({ from: "bounce@b.example", to: [to], helo: "h" }, raw(subject, from));
/** Far longer than needed: nothing here waits for it. */
const patient = { deadlineMs: 300_000 };

describe("waiting for a message", () => {
  test("returns the newest that fits, and then each later one in order", async () => {
    const mail = await openMail(await engineWithMail());
    for (const subject of ["Code 1", "other", "Code 2", "other"]) await store(mail, subject);
    expect((await mail.waitFor({ subject: "code" }, patient))?.subject).toBe("Code 2");
    const first = await mail.waitFor({ subject: /^Code/, since: "" }, patient);
    const second = await mail.waitFor({ subject: /^Code/, since: first?.cursor }, patient);
    expect([first?.subject, second?.subject]).toEqual(["Code 1", "Code 2"]);
  });

  test("does not return what was stored before the position, and finds what is stored after it", async () => {
    const mail = await openMail(await engineWithMail());
    expect(await mail.position()).toBe("");
    await store(mail, "Code 1");
    const since = await mail.position();
    const waiting = mail.waitFor({ to: "C@d.example", subject: "code", since }, patient);
    await store(mail, "Code for another", "x@d.example");
    await store(mail, "Code 2");
    await store(mail, "Code 3");
    const found = await waiting;
    expect(found?.subject).toBe("Code 2");
    // The same wait, when both are there, finds the same.
    expect((await mail.waitFor({ to: "c@d.example", since }, patient))?.subject).toBe("Code 2");
    expect((await mail.waitFor({ since: found?.cursor }, patient))?.subject).toBe("Code 3");
  });

  test("misses none of many that arrive in one millisecond", async () => {
    const clock = fakeClock();
    const mail = await openMail(await engineWithMail({ clock }), { clock });
    let since = await mail.position();
    const subjects = Array.from({ length: 20 }, (_, n) => `no ${n}`);
    await Promise.all(subjects.map((subject) => store(mail, subject)));
    const seen: string[] = [];
    while (seen.length < subjects.length) {
      const found = await mail.waitFor({ since }, patient);
      seen.push(found?.subject ?? "");
      since = found?.cursor ?? "";
    }
    expect(seen.toSorted()).toEqual(subjects.toSorted());
  });

  test("compares the whole address of the sender, by envelope or header", async () => {
    const mail = await openMail(await engineWithMail());
    await store(mail, "one");
    await store(mail, "two", undefined, "Joann <joann@b.example>");
    expect((await mail.waitFor({ from: "Ann@b.example" }, patient))?.subject).toBe("one");
    expect((await mail.waitFor({ from: "bounce@b.example" }, patient))?.subject).toBe("two");
    const isTwo = ({ subject }: { subject: string }) => subject === "two";
    expect((await mail.waitFor({ to: "c@d.example", matches: isTwo }, patient))?.subject).toBe("two");
  });

  test("returns undefined after the deadline, and ends with its signal", async () => {
    const mail = await openMail(await engineWithMail());
    await store(mail, "one");
    expect(await mail.waitFor({ subject: "two" }, { deadlineMs: 1 })).toBeUndefined();
    const stop = new AbortController();
    const waiting = mail.waitFor({ subject: "two" }, { ...patient, signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toThrow();
  });

  test("rejects unknown conditions", async () => {
    const mail = await openMail(await engineWithMail());
    const waiting = mail.waitFor({ body: "x" } as never);
    await expect(waiting).rejects.toSatisfy((error) => isMailError(error, "MAIL_OPTION_INVALID"));
  });
});
