import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { GetThingShadowCommand, UpdateThingShadowCommand } from "@aws-sdk/client-iot-data-plane";
import { createTransport } from "nodemailer";
import { expect } from "vitest";
import { test } from "./vitest-fixtures.ts";

const Key = { id: { S: "cart-1" } };

test("stores a cart", async ({ dynamodb }) => {
  await dynamodb.send(new PutItemCommand({ TableName: "carts", Item: { ...Key, total: { N: "42" } } }));
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName: "carts", Key }));
  expect(Item?.["total"]).toEqual({ N: "42" });
});

test("does not see the cart of the previous test", async ({ dynamodb }) => {
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName: "carts", Key }));
  expect(Item).toBeUndefined();
});

test("receives a mail", async ({ server, inbox }) => {
  const message = { from: "shop@example.org", to: "ann@example.org", text: "Your code is 123456" };
  await createTransport(server.smtpUrl).sendMail(message);
  const mail = await inbox.waitFor("ann@example.org");
  expect(mail.code()).toBe("123456");
});

test("switches on a lamp", async ({ shadows }) => {
  const payload = Buffer.from('{"state":{"desired":{"on":true}}}');
  await shadows.send(new UpdateThingShadowCommand({ thingName: "lamp", payload }));
  const shadow = await shadows.send(new GetThingShadowCommand({ thingName: "lamp" }));
  expect(JSON.parse(Buffer.from(shadow.payload ?? []).toString())).toMatchObject({
    state: { desired: { on: true } },
  });
});
