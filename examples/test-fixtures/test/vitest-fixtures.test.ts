import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { sdkClient } from "@tablekeep/client";
import { createTransport } from "nodemailer";
import { expect } from "vitest";
import { test } from "./vitest-fixtures.ts";

test("stores a cart", async ({ tablekeep: t }) => {
  await t.engine.createTable({
    TableName: "carts",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
  const dynamodb = await sdkClient(t.engine);
  const Key = { id: { S: "cart-1" } };
  await dynamodb.send(new PutItemCommand({ TableName: "carts", Item: { ...Key, total: { N: "42" } } }));
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName: "carts", Key }));
  expect(Item?.["total"]).toEqual({ N: "42" });
});

test("receives a mail", async ({ tablekeep: t }) => {
  const message = { from: "shop@example.org", to: "ann@example.org", subject: "Welcome" };
  await createTransport(t.smtpUrl).sendMail({ ...message, text: "Your code is 123456" });
  const mail = await t.inbox.waitFor("ann@example.org");
  expect(mail).toMatchMail({ subject: "Welcome", from: "shop@example.org", text: /code is \d+/ });
  expect(mail.code()).toBe("123456");
});

test("records what happens to a cart", async ({ tablekeep: t }) => {
  const cart = t.events("cart-1");
  await cart.append({ added: "apple" }, { added: "pear" });
  await cart.append({ paid: 3, at: Date.now() });
  const { sequenceNr } = await cart.waitFor({ paid: expect.any(Number) });
  expect(sequenceNr).toBe(3);
  await expect(cart).toHaveEvents([{ added: "apple" }, { added: "pear" }, { paid: 3 }]);
});

test("a lamp switches on when it is online again", async ({ tablekeep: t }) => {
  const lamp = await t.device("lamp");
  await lamp.report({ on: false });
  lamp.goOffline();
  await t.shadow("lamp").desire({ on: true });
  await lamp.goOnline();
  await t.shadow("lamp").waitFor({ reported: { on: true }, delta: null });
  await expect(t.shadow("lamp")).toHaveReported({ on: true });
});
