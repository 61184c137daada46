import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { createTransport } from "nodemailer";

/** A shop that runs. */
export interface Shop extends AsyncDisposable {
  readonly url: string;
}

const table = "members";

/** What is tested: members in DynamoDB, who confirm their address by a link in a mail. */
export async function startShop({ smtp, dynamodb }: { smtp: string; dynamodb: string }): Promise<Shop> {
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const client = new DynamoDBClient({ endpoint: dynamodb, region: "us-east-1", credentials });
  const transport = createTransport(smtp);
  await createMembers(client);

  const answer = async (request: IncomingMessage): Promise<string> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://shop");
    if (pathname === "/sign-up") {
      const email = new URLSearchParams(await text(request)).get("email") ?? "";
      const token = randomUUID();
      await client.send(
        new PutItemCommand({ TableName: table, Item: { token: { S: token }, email: { S: email } } }),
      );
      const link = `${url()}/confirm?token=${token}`;
      await transport.sendMail({ from: "shop@example.org", to: email, subject: "Welcome", text: link });
      return "<p role=status>Check your inbox</p>";
    }
    if (pathname === "/confirm") {
      const Key = { token: { S: searchParams.get("token") ?? "" } };
      const { Item } = await client.send(new GetItemCommand({ TableName: table, Key }));
      return `<p role=status>Welcome, ${escaped(Item?.["email"]?.S ?? "stranger")}</p>`;
    }
    return `<form method=post action=/sign-up><label>Your address <input name=email></label>
      <button>Sign up</button></form>`;
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (body) =>
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(`<!doctype html>${body}`),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      transport.close();
      client.destroy();
    },
  };
}

async function createMembers(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "token", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "token", KeyType: "HASH" }],
    }),
  );
}

function escaped(value: string): string {
  return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
