import type { DynamoPort, InputOf } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { inboxPort } from "../src/inbox-port.ts";
import { inboxNameOf, isMailError, type Mail, openMail } from "../src/index.ts";
import { engineWithMail } from "./engine-mail.ts";

const envelope = { from: "a@b.example", to: ["c@d.example"], helo: "h" };
const raw = (subject: string) => Buffer.from(`Subject: ${subject}\r\n\r\nhello\r\n`);
const subjects = async (mail: Mail) => (await mail.list()).items.map(({ subject }) => subject);

async function partitions(port: DynamoPort): Promise<string[]> {
  const { Items = [] } = await port.scan({ TableName: "mail" });
  return Items.map(({ pk }) => pk?.S ?? "");
}

describe("an inbox", () => {
  test("has only its own messages, in all calls", async () => {
    const port = await engineWithMail();
    const names = ["default", "one", "two"];
    const inboxes = await Promise.all(names.map((inbox) => openMail(port, { inbox })));
    for (const [at, mail] of inboxes.entries()) await mail.store(envelope, raw(`in ${names[at]}`));
    for (const [at, mail] of inboxes.entries()) {
      expect(await subjects(mail)).toEqual([`in ${names[at]}`]);
      expect(await mail.count()).toBe(1);
      const search = { kind: "recipient", query: "c@d.example" } as const;
      expect((await mail.search(search)).items).toHaveLength(1);
      expect((await mail.search({ kind: "text", query: "hello" })).items).toHaveLength(1);
      expect((await mail.wait(search, { after: "" }))?.subject).toBe(`in ${names[at]}`);
    }
    const [usual, one, two] = inboxes as [Mail, Mail, Mail];
    const [{ id } = { id: "" }] = (await one.list()).items;
    expect(await usual.load(id)).toBeUndefined();
    expect(await two.deleteOne(id)).toBe(false);
    expect(Buffer.from((await one.load(id))?.raw ?? [])).toEqual(raw("in one"));
    await one.deleteAll();
    expect(await Promise.all(inboxes.map((mail) => mail.count()))).toEqual([1, 0, 1]);
  });

  test("has keys with its name, and the default inbox has none", async () => {
    const port = await engineWithMail();
    await (await openMail(port, { inbox: "one" })).store(envelope, raw("x"));
    const all = await partitions(port);
    expect(all.length).toBeGreaterThan(1);
    for (const partition of all) expect(partition).toMatch(/^i#one#/);
    await (await openMail(port)).store(envelope, raw("x"));
    // Its era is stored with the first delete of all messages, and that of a named inbox with its first message.
    expect((await partitions(port)).filter((partition) => !partition.startsWith("i#"))).toHaveLength(
      all.length - 1,
    );
  });

  test.each(["", "A", "a/b", "-a", "a#b", "x".repeat(64)])("cannot be named %j", async (inbox) => {
    const port = await engineWithMail();
    const opened = openMail(port, { inbox });
    await expect(opened).rejects.toSatisfy((error) => isMailError(error, "MAIL_OPTION_INVALID"));
  });

  test("needs the layout sharded", async () => {
    const port = await engineWithMail({ layout: "mhdynamo" });
    const opened = openMail(port, { layout: "mhdynamo", inbox: "one" });
    await expect(opened).rejects.toSatisfy((error) => isMailError(error, "MAIL_OPTION_INVALID"));
  });
});

test("names of inboxes are made of any text", () => {
  expect(["Feature/42", "a b", "..x", "ü", "x".repeat(80)].map(inboxNameOf)).toEqual([
    "feature-42",
    "a-b",
    "x",
    undefined,
    "x".repeat(63),
  ]);
});

describe("the port of an inbox", () => {
  test("addresses its own items in batches, transactions and pages", async () => {
    const engine = await engineWithMail();
    const port = inboxPort(engine, "one");
    const key = (n: number) => ({ pk: { S: "p" }, sk: { S: `${n}` } });
    const TableName = "mail";
    await port.batchWriteItem({
      RequestItems: { mail: [1, 2].map((n) => ({ PutRequest: { Item: { ...key(n), n: { N: `${n}` } } } })) },
    });
    await port.transactWriteItems({
      TransactItems: [
        { Put: { TableName, Item: key(3) } },
        { Delete: { TableName, Key: key(1) } },
        { ConditionCheck: { TableName, Key: key(2), ConditionExpression: "attribute_exists(pk)" } },
      ],
    });
    expect(new Set(await partitions(engine))).toEqual(new Set(["i#one#p"]));
    const { Responses } = await port.batchGetItem({ RequestItems: { mail: { Keys: [key(2), key(3)] } } });
    expect(Responses?.["mail"]?.map(({ pk }) => pk)).toEqual([{ S: "p" }, { S: "p" }]);
    const got = await port.transactGetItems({ TransactItems: [{ Get: { TableName, Key: key(2) } }] });
    expect(got.Responses?.[0]?.Item).toEqual({ ...key(2), n: { N: "2" } });
    const query: InputOf<"Query"> = {
      TableName,
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": { S: "p" } },
      Limit: 1,
    };
    const first = await port.query(query);
    expect([first.Items?.[0]?.["sk"]?.S, first.LastEvaluatedKey]).toEqual(["2", key(2)]);
    const second = await port.query({ ...query, ExclusiveStartKey: first.LastEvaluatedKey });
    expect(second.Items).toEqual([key(3)]);
    const updated = await port.updateItem({
      TableName,
      Key: key(2),
      UpdateExpression: "REMOVE n",
      ReturnValues: "ALL_NEW",
    });
    expect(updated.Attributes).toEqual(key(2));
  });

  test("rejects operations that could leave the inbox", async () => {
    const port = inboxPort(await engineWithMail(), "one");
    await expect(port.scan({ TableName: "mail" })).rejects.toThrow(TypeError);
    await expect(port.executeStatement({ Statement: 'SELECT * FROM "mail"' })).rejects.toThrow(TypeError);
  });
});
