import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { createTransport } from "nodemailer";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Isolated, isolate } from "./isolate.ts";

/** Generous, because this tests the order and not the speed of the machine. */
const timeoutMs = 50_000;
/** For waits that must fail. */
const shortMs = 1;

async function isolated(): Promise<Isolated> {
  return isolate({ onTestFinished });
}

async function send(smtpUrl: string, to: string, subject = "hello"): Promise<void> {
  const transport = createTransport(smtpUrl);
  await transport.sendMail({ from: "shop@example.org", to, subject, text: "https://shop.example/confirm" });
  transport.close();
}

const anonymous = (smtpUrl: string) => smtpUrl.replace(/\/\/.*@/, "//");

async function onServer<Answer>(t: Isolated, path: string): Promise<Answer> {
  return (await (await fetch(new URL(path, t.url))).json()) as Answer;
}

describe("tests that use the same names at the same time", () => {
  test("have their own tables, mail, events and shadows", async () => {
    const tests = await Promise.all(Array.from({ length: 5 }, isolated));
    expect(new Set(tests.map(({ name }) => name)).size).toBe(5);
    await Promise.all(
      tests.map(async (t) => {
        await t.engine.createTable({
          TableName: "carts",
          BillingMode: "PAY_PER_REQUEST",
          AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
          KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
        });
        await t.engine.putItem({ TableName: "carts", Item: { id: { S: t.name } } });
        await send(t.smtpUrl, "ann@example.org", t.name);
        await t.events("cart-1").append({ by: t.name });
        await t.shadow("lamp").report({ by: t.name });
      }),
    );
    for (const t of tests) {
      expect((await t.engine.scan({ TableName: "carts" })).Items).toEqual([{ id: { S: t.name } }]);
      const mail = await t.inbox.waitFor("ann@example.org", { after: null, timeoutMs });
      expect(mail).toMatchObject({ subject: t.name, from: "shop@example.org", to: ["ann@example.org"] });
      await expect(
        // Slow is fine: there is no second mail.
        t.inbox.waitFor("ann@example.org", { after: mail, timeoutMs: shortMs }),
      ).rejects.toMatchObject({ code: "SERVER_WAIT_TIMED_OUT" });
      expect((await t.events("cart-1").read()).map(({ payload }) => payload)).toEqual([{ by: t.name }]);
      expect((await t.shadow("lamp").get())?.state).toEqual({ reported: { by: t.name } });
    }
  });

  test("have an address each, for senders that do not authenticate", async () => {
    const [one, two] = [await isolated(), await isolated()];
    for (const t of [one, two]) await send(anonymous(t.smtpUrl), t.address("ann"), t.name);
    for (const t of [one, two])
      expect((await t.inbox.waitFor({ subject: /./ }, { after: null, timeoutMs })).subject).toBe(t.name);
  });
});

test("an application in another process uses the variables", async () => {
  const t = await isolated();
  const { env } = t;
  const credentials = { accessKeyId: env["AWS_ACCESS_KEY_ID"] ?? "", secretAccessKey: "any" };
  const client = new DynamoDBClient({
    endpoint: env["AWS_ENDPOINT_URL_DYNAMODB"],
    region: env["AWS_REGION"],
    credentials,
  });
  onTestFinished(() => client.destroy());
  await client.send(
    new CreateTableCommand({
      TableName: "orders",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    }),
  );
  expect((await t.engine.listTables({})).TableNames).toEqual(["orders"]);
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(["orders"]);
  const { SMTP_HOST: host, SMTP_PORT: port, SMTP_USER: user, SMTP_PASSWORD: pass } = env;
  const transport = createTransport({ host, port: Number(port), auth: { user, pass } });
  await transport.sendMail({
    from: "a@b.example",
    to: "bob@example.org",
    subject: "by variables",
    text: "x",
  });
  expect((await t.inbox.waitFor("bob@example.org", { timeoutMs })).subject).toBe("by variables");
});

describe("waiting", () => {
  test("finds events that came before and after, each by its position", async () => {
    const events = (await isolated()).events<object>("cart-1");
    const paid = events.waitFor({ paid: expect.any(Number) }, { timeoutMs });
    expect(await events.append({ added: "apple" }, { added: "pear", size: 2 })).toBe(2);
    expect(await events.append({ paid: 3 })).toBe(3);
    expect((await paid).sequenceNr).toBe(3);
    expect((await events.waitFor({ added: /./ }, { timeoutMs })).sequenceNr).toBe(1);
    expect((await events.waitFor({ added: /./ }, { after: 1, timeoutMs })).payload).toEqual({
      added: "pear",
      size: 2,
    });
    const byFunction = events.waitFor(({ sequenceNr }) => sequenceNr === 4, { timeoutMs });
    await events.append({ closed: true });
    expect((await byFunction).payload).toEqual({ closed: true });
  });

  test("finds a version of a shadow that is no longer the last one", async () => {
    const shadow = (await isolated()).shadow("lamp", "night");
    const off = shadow.waitFor({ reported: { on: false } }, { timeoutMs });
    await shadow.report({ on: true, level: 3 });
    await shadow.report({ on: false });
    await shadow.report({ on: true });
    expect((await off).version).toBe(2);
    expect((await shadow.waitFor({ reported: { on: true } }, { timeoutMs })).version).toBe(1);
    expect((await shadow.waitFor({ reported: { on: true } }, { after: 1, timeoutMs })).version).toBe(3);
    await shadow.desire({ level: 4 });
    expect(await shadow.waitFor({ delta: { level: 4 } }, { timeoutMs })).toMatchObject({ version: 4 });
    await shadow.report({ level: 4 });
    expect(await shadow.waitFor(({ version }) => version > 4, { timeoutMs })).toMatchObject({ version: 5 });
    expect(await shadow.waitFor({ delta: null }, { after: 4, timeoutMs })).toMatchObject({ version: 5 });
  });

  test("fails with what came instead", async () => {
    const t = await isolated();
    await t.events("cart-1").append({ added: "apple" });
    await t.shadow("lamp").report({ on: false });
    await send(t.smtpUrl, "ann@example.org", "Welcome");
    await t.inbox.waitFor("ann@example.org", { timeoutMs });
    await t.shadow("lamp").waitFor({ reported: { on: false } }, { timeoutMs });
    // Slow is fine: what is waited for never comes.
    const wait = { timeoutMs: 1_000 };
    const failures = await Promise.allSettled([
      t.events("cart-1").waitFor({ added: "pear" }, wait),
      t.shadow("lamp").waitFor({ reported: { on: true } }, wait),
      t.inbox.waitFor("bob@example.org", wait),
    ]);
    const seen = failures.map((each) => (each as PromiseRejectedResult).reason.details.seen[0] as string);
    expect(seen).toEqual([
      "event 1 { added: 'apple' }: added: expected 'pear', got 'apple'",
      "version 1 updated { reported: { on: false } }: reported.on: expected true, got false",
      "to ann@example.org: Welcome",
    ]);
  });

  test("ends with its signal, and with the test", async () => {
    const t = await isolated();
    const ending = new AbortController();
    const { signal } = ending;
    const aborted = [
      t.events("a").waitFor({}, { signal, timeoutMs }),
      t.shadow("a").waitFor({}, { signal, timeoutMs }),
      t.inbox.waitFor("nobody@example.org", { signal, timeoutMs }),
    ];
    ending.abort(new Error("enough"));
    for (const wait of aborted) await expect(wait).rejects.toThrow("enough");
    const open = [
      t.events("a").waitFor({}, { timeoutMs }),
      t.shadow("a").waitFor({}, { timeoutMs }),
      t.inbox.waitFor("nobody@example.org", { timeoutMs }),
    ];
    const ends = open.map((wait) => expect(wait).rejects.toThrow("the test has ended"));
    await t.close();
    await Promise.all(ends);
    await expect(t.journal()).rejects.toThrow("the test has ended");
  });
});

test("leaves nothing behind, and closes once", async () => {
  const other = await isolated();
  const t = await isolate();
  await send(t.smtpUrl, "ann@example.org");
  await t.shadow("lamp").report({ on: true });
  await t.shadow("lamp", "night").report({ on: true });
  const left = async () => {
    const { inboxes } = await onServer<{ inboxes: { name: string }[] }>(other, "api/v3/inboxes");
    const { shadows } = await onServer<{ shadows: { thing: string }[] }>(other, "api/v3/shadows");
    return [...inboxes.map(({ name }) => name), ...shadows.map(({ thing }) => thing)].filter((each) =>
      each.startsWith(t.name),
    );
  };
  // An inbox is added to the list in the background.
  await expect.poll(left).toEqual([t.name, `${t.name}-lamp`, `${t.name}-lamp`]);
  await t.shadow("lamp", "night").waitFor({ reported: { on: true } }, { timeoutMs });
  await Promise.all([t.close(), t.close()]);
  expect(await left()).toEqual([]);
  await expect(fetch(t.dynamodbUrl)).rejects.toThrow();
  await expect(t.engine.listTables({})).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
});
