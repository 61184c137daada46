import assert from "node:assert/strict";
import { DynamoError, type DynamoPort, type Interceptor, wrapPort } from "@tablekeep/core";
import { fakeClock, stopAfterNth, type World } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

const clock = () => fakeClock({ startAt: Date.UTC(2050, 0, 1, 9) });

/** A port with atomic batches, and a hook between it and its engine. */
function whole(port: DynamoPort, intercept: Interceptor): DynamoPort {
  return { ...wrapPort(port, intercept), atomicBatches: true };
}

async function mailBehind(intercept: Interceptor) {
  const options = { clock: clock() };
  const engine = await engineWithMail(options);
  const mail = await openMail(whole(engine, intercept), options);
  return { mail, plain: await openMail(engine, options) };
}

describe("on a port with atomic batches", () => {
  test("a small message is stored with one write", async () => {
    const operations: string[] = [];
    const { mail, plain } = await mailBehind((operation, input, options, next) => {
      operations.push(operation);
      return next(operation, input, options);
    });
    await mail.store(envelope, letter("the first of its hour"));
    operations.length = 0;
    const { id } = await mail.store(envelope, letter("the second"));
    expect(operations).toEqual(["GetItem", "BatchWriteItem"]);
    expect((await plain.load(id))?.subject).toBe("the second");
  });

  test("a lost response leaves the outcome unknown, and the message is not removed", async () => {
    const { mail, plain } = await mailBehind(async (operation, input, options, next) => {
      const answer = await next(operation, input, options);
      if (operation !== "BatchWriteItem") return answer;
      throw new DynamoError({ exception: "InternalServerError", serviceMessage: "lost", ambiguous: true });
    });
    await expect(mail.store(envelope, letter("lost"))).rejects.toMatchObject({
      code: "MAIL_OUTCOME_UNKNOWN",
      ambiguous: true,
    });
    await mail.close();
    const [found] = (await plain.list()).items;
    expect((await plain.load(found?.id ?? ""))?.subject).toBe("lost");
  });

  test("stores nothing if the batch is rejected", async () => {
    const { mail, plain } = await mailBehind((operation, input, options, next) => {
      if (operation !== "BatchWriteItem") return next(operation, input, options);
      throw new DynamoError({ exception: "ValidationException", serviceMessage: "no" });
    });
    await expect(mail.store(envelope, letter("refused"))).rejects.toMatchObject({
      code: "MAIL_STORE_REFUSED",
      ambiguous: false,
    });
    expect(await plain.count()).toBe(0);
  });

  test("handles unprocessed items like on DynamoDB", async () => {
    let refusals = 1;
    const { mail, plain } = await mailBehind(async (operation, input, options, next) => {
      if (operation !== "BatchWriteItem" || refusals-- <= 0) return next(operation, input, options);
      return { UnprocessedItems: (input as { RequestItems?: object }).RequestItems } as never;
    });
    const { id } = await mail.store(envelope, letter("late"));
    expect((await plain.load(id))?.subject).toBe("late");
  });

  test("a message is stored completely or not at all, wherever it is stopped", async () => {
    const raw = letter("large", "0123456789abcdef\r\n".repeat(20_000));
    const report = await stopAfterNth<World>({
      setup: async () => ({ port: await engineWithMail({ clock: clock() }) }),
      run: async (port) =>
        (await openMail({ ...port, atomicBatches: true }, { clock: clock() })).store(envelope, raw),
      async check({ port }, stop) {
        const mail = await openMail(port, { clock: clock() });
        const { items } = await mail.list();
        assert.equal(await mail.count(), items.length);
        if (stop === undefined) assert.equal(items.length, 1);
        for (const { id } of items)
          assert.ok(Buffer.compare((await mail.load(id))?.raw ?? new Uint8Array(), raw) === 0);
      },
      teardown: ({ port }) => port.close(),
    });
    expect(report.requests).toBeGreaterThan(2);
  });
});
