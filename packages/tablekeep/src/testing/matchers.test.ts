import { describe, expect, onTestFinished, test } from "vitest";
import { assertEvents, assertMail, assertReported } from "./assertions.ts";
import { differences } from "./differences.ts";
import { isolate } from "./isolate.ts";
import { type ExpectedMail, matchers, type TestMatchers } from "./matchers.ts";

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: the same parameter as in the declaration of vitest
  interface Matchers<T = any> extends TestMatchers {}
}

expect.extend(matchers);

describe("differences", () => {
  test.each<[unknown, unknown]>([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: undefined }, {}],
    [
      [{ a: /b/ }, expect.any(Number)],
      [{ a: "abc" }, 2],
    ],
    [
      { at: new Date(3), bytes: Buffer.from("a") },
      { at: new Date(3), bytes: Buffer.from("a"), c: 1 },
    ],
    [{ a: { asymmetricMatch: (value: unknown) => value === 7 } }, { a: 7 }],
    [{}, Object.create(null)],
  ])("%# has none", (expected, actual) => {
    expect(differences(expected, actual)).toEqual([]);
  });

  test.each<[unknown, unknown, readonly string[]]>([
    [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, ["a.b[1]: expected 2, got 3"]],
    [[1], [1, 2], ["expected [ 1 ], got [ 1, 2 ] (2 instead of 1)"]],
    [{ a: /x/ }, { a: "y" }, ["a: expected /x/, got 'y'"]],
    [{ a: 1, b: 2 }, {}, ["a: expected 1, got undefined", "b: expected 2, got undefined"]],
    [{ a: {} }, { a: [] }, ["a: expected {}, got []"]],
    [{ at: new Date(3) }, { at: new Date(4) }, [expect.stringContaining("at: expected 1970")]],
    [[expect.any(Number)], ["x"], ["[0]: expected Any<Number>, got 'x'"]],
    [null, undefined, ["expected null, got undefined"]],
  ])("%# has one for each value", (expected, actual, lines) => {
    expect(differences(expected, actual)).toEqual(lines);
  });

  test("are bounded", () => {
    const lines = differences(
      Array.from({ length: 50 }, () => 1),
      Array.from({ length: 50 }, () => 2),
    );
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe("and 30 more");
  });
});

describe("a mail", () => {
  const mail = {
    from: "shop@example.org",
    to: ["ann@example.org", "bob@example.org"],
    subject: "Welcome",
    text: "Confirm: https://shop.example/confirm?token=1",
  };

  test("matches by all that is given", () => {
    expect(mail).toMatchMail({});
    expect(mail).toMatchMail({
      subject: "Welcome",
      text: "Confirm",
      link: /token=\d/,
      to: "BOB@example.org",
    });
    expect(mail).toMatchMail({ from: /^shop@/ });
    expect(mail).not.toMatchMail({ subject: "Welcome", to: "eve@example.org" });
    expect(mail).toHaveLink(/confirm/);
    expect(mail).toHaveSubject("Welcome");
    assertMail(mail, { subject: /^Wel/ });
  });

  test("that does not match is shown with everything that differs", () => {
    const expected = { subject: "Hello", link: /none/, from: "eve@example.org", to: /eve/ };
    const { message } = matchers.toMatchMail(mail, expected);
    for (const part of ['"Welcome"', "token=1", "it is shop@", "it is ann@example.org, bob@example.org"])
      expect(message()).toContain(part);
    expect(() => assertMail(mail, expected)).toThrow("the subject is");
    expect(() => expect(mail).not.toMatchMail({ subject: /Wel/ })).toThrow("not to match { subject: /Wel/ }");
  });

  test("is not compared by a condition that does not exist", () => {
    const misspelled = { subjct: "Welcome" } as object as { subject: string };
    expect(() => expect(mail).toMatchMail(misspelled)).toThrow(
      'no condition "subjct"; expected one of subject',
    );
    expect(() => assertMail(mail, misspelled)).toThrow(TypeError);
  });

  test("that is something else is rejected, even if the assertion is negated", () => {
    const conditions: ExpectedMail[] = [{}, { from: "eve@example.org" }, { subject: "x" }];
    for (const expected of conditions) {
      expect(() => expect(Promise.resolve(mail)).not.toMatchMail(expected)).toThrow("await it");
      expect(() => expect(undefined).toMatchMail(expected)).toThrow("expected a mail");
    }
  });
});

test("events are compared in order, and all of them", async () => {
  const t = await isolate({ onTestFinished });
  const events = t.events("cart-1");
  await events.append({ added: "apple", at: 7 }, { paid: 3 });
  await expect(events).toHaveEvents([{ added: "apple" }, { paid: expect.any(Number) }]);
  await expect(await events.read()).toHaveEvents([{ added: /app/ }, { paid: 3 }]);
  await expect(events).not.toHaveEvents([{ added: "apple" }]);
  await expect(events).not.toHaveEvents([{ paid: 3 }, { added: "apple" }]);
  await expect(t.events("cart-2")).toHaveEvents([]);
  await assertEvents(events, [{ added: "apple" }, {}]);
  await expect(assertEvents(events, [{ added: "pear" }, {}])).rejects.toMatchObject({
    code: "ERR_ASSERTION",
    message: expect.stringContaining("[0].added: expected 'pear', got 'apple'"),
  });
});

test("states are compared by the values that are named", async () => {
  const t = await isolate({ onTestFinished });
  const shadow = t.shadow("lamp");
  await expect(shadow).not.toHaveReported({});
  await shadow.desire({ on: true });
  const version = await shadow.report({ on: false, level: { main: 3 } });
  await expect(shadow).toHaveReported({ level: { main: 3 } });
  await expect(version).toHaveReported({ on: false });
  await expect(shadow).toHaveDesired({ on: true });
  await expect(shadow).not.toHaveReported({ on: true });
  await expect(assertReported(shadow, { on: true })).rejects.toThrow("on: expected true, got false");
  await expect(assertReported(t.shadow("none"), { on: true })).rejects.toThrow("it does not exist");
});

test.each([undefined, 5, {}, Promise.resolve([])])(
  "%o is neither a list of events nor a shadow",
  async (value) => {
    const wrong = value as never;
    await expect(matchers.toHaveEvents(wrong, [])).rejects.toThrow(
      "expected t.events(id) or a list of events",
    );
    await expect(matchers.toHaveReported(wrong, {})).rejects.toThrow("expected t.shadow(thing) or a version");
  },
);
