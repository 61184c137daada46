/** The program as users start it: a separate process, from the built files, which are updated first. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { ensureTable, httpPort, scanItems } from "@tablekeep/client";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { buildProgram } from "./build-program.ts";
import { tempFolder } from "./temp-folder.ts";

let bin = "";
const children: ChildProcess[] = [];
const folder = tempFolder();
let runs = 0;

beforeAll(async () => {
  bin = await buildProgram();
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function start(...argv: string[]) {
  return startProgram(bin, ...argv);
}

function startProgram(program: string, ...argv: string[]) {
  const child = spawn(process.execPath, [program, ...argv], { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  return { child, stdout: child.stdout, ended, stderr: text(child.stderr) };
}

/** Starts a server on a free port and waits until it prints its address. */
async function serve() {
  const data = `${folder}-${runs++}`;
  const run = start(
    "serve",
    "--http-port",
    "0",
    "--dynamodb-port",
    "0",
    "--smtp-port",
    "0",
    "--mqtt-port",
    "0",
    "--data",
    data,
    "--json",
  );
  const [line] = await once(run.stdout, "data");
  const url = new URL(JSON.parse(String(line)).listeners[0].url);
  return { ...run, url, data };
}

/** A connection that has sent all of a request but its last line. */
async function halfRequest(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  await once(socket, "connect");
  socket.write(`GET /healthz HTTP/1.1\r\nhost: ${url.host}\r\n`);
  // Another request that is answered shows that the server has read this one so far.
  await fetch(new URL("/healthz", url));
  return socket;
}

/** Resolves once nothing listens there. */
async function closed(url: URL): Promise<void> {
  const state = () =>
    fetch(url).then(
      () => "open",
      () => "closed",
    );
  await expect.poll(state).toBe("closed");
}

describe("the tablekeep process", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "on %s answers the request in flight, then exits with 0",
    async (signal) => {
      const { child, url, ended, stderr } = await serve();
      const socket = await halfRequest(url);
      child.kill(signal);
      await closed(url);
      expect(child.exitCode).toBe(null);
      socket.write("\r\n");
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*"status":"ok"/);
      expect(await ended).toEqual([0, null]);
      expect(await stderr).toBe("");
    },
  );

  test("a second signal ends it at once", async () => {
    const { child, url, ended } = await serve();
    const socket = await halfRequest(url);
    child.kill("SIGTERM");
    await closed(url);
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    socket.destroy();
  });

  test("a request that never ends does not delay the exit beyond the grace period", async () => {
    const { child, url, ended } = await serve();
    const socket = await halfRequest(url);
    socket.on("error", () => {});
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  test("errors reach stderr in one line, with the exit code of their kind", async () => {
    const { stdout, stderr, ended } = start("serv");
    expect(await text(stdout)).toBe("");
    expect(await stderr).toBe("error: unknown command 'serv': did you mean serve? [CLI_COMMAND_UNKNOWN]\n");
    expect(await ended).toEqual([2, null]);
  });

  test.skipIf(!existsSync("/dev/full"))(
    "output that cannot be written is reported in one line, and fails",
    async () => {
      const full = openSync("/dev/full", "w");
      const child = spawn(process.execPath, [bin, "--version"], { stdio: ["ignore", full, "pipe"] });
      closeSync(full);
      const [output, [code]] = await Promise.all([text(child.stderr as Readable), once(child, "exit")]);
      expect(output).toMatch(/^error: cannot write the output: ENOSPC.* \[CLI_OUTPUT_FAILED\]\n$/);
      expect(code).toBe(7);
    },
  );

  test("a command that only waits keeps the process alive", async () => {
    const { data } = await serve();
    const { stderr, ended } = start("mail", "wait", "--query", "xyzzy", "--timeout", "0.3", "--data", data);
    expect(await stderr).toMatch(/^error: .+ within 0\.3 seconds \[CLI_WAIT_TIMED_OUT\]\n$/);
    expect(await ended).toEqual([3, null]);
  });

  test("a reader that closes a long output early ends it quietly", async () => {
    const data = `${folder}-${runs++}`;
    const file = `${data}.json`;
    const KeySchema = [{ AttributeName: "id", KeyType: "HASH" }];
    const AttributeDefinitions = [{ AttributeName: "id", AttributeType: "N" }];
    const Items = Array.from({ length: 20_000 }, (_, id) => ({
      id: { N: `${id}` },
      x: { S: "x".repeat(99) },
    }));
    const TableDescription = { TableName: "long", KeySchema, AttributeDefinitions };
    writeFileSync(file, JSON.stringify({ TableDescription, Items }));
    await start("table", "import", file, "--data", data, "--create").ended;
    const { stdout, stderr, ended } = start("table", "export", "long", "--data", data);
    await once(stdout, "data");
    stdout.destroy();
    expect(await ended).toEqual([0, null]);
    expect(await stderr).toBe("");
  });

  test("a closed output ends it quietly", async () => {
    const { child, stdout, stderr, ended } = await serve();
    stdout.destroy();
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(await stderr).toBe("");
  });
});

describe("tablekeep dynamodb as a process", () => {
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  async function dynamodb(...argv: string[]) {
    const run = start("dynamodb", "--port", "0", "--json", ...argv);
    const [line] = await once(run.stdout, "data");
    const { endpoint } = JSON.parse(String(line)) as { endpoint: string };
    return { ...run, endpoint };
  }

  test("in memory it answers, leaves no folder behind, and exits with 0", async () => {
    const { child, ended, endpoint, stderr } = await dynamodb("--memory");
    await using port = httpPort({ endpoint, credentials });
    expect((await port.listTables({})).TableNames).toEqual([]);
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(await stderr).toBe("");
    expect(existsSync("tablekeep-data")).toBe(false);
  });

  test.each(["SIGTERM", "SIGKILL"] as const)(
    "what it acknowledged before %s is there after it, and the folder opens at once",
    async (signal) => {
      const data = `${folder}-${runs++}`;
      const first = await dynamodb("--data", data);
      await using port = httpPort({ endpoint: first.endpoint, credentials, maxAttempts: 1 });
      const things = { name: "things", partitionKey: { name: "id", type: "N" } } as const;
      await ensureTable(port, things);
      const acknowledged: string[] = [];
      let next = 0;
      const writer = async () => {
        for (;;) {
          const id = String(next++);
          const put = port.putItem({ TableName: "things", Item: { id: { N: id } } });
          if (!(await put.then(() => acknowledged.push(id)).catch(() => 0))) return;
        }
      };
      const writers = Array.from({ length: 8 }, writer);
      await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
      first.child.kill(signal);
      await Promise.all(writers);
      await first.ended;
      const second = await dynamodb("--data", data);
      await using after = httpPort({ endpoint: second.endpoint, credentials });
      const stored = new Set<string | undefined>();
      for await (const item of scanItems(after, { TableName: "things" })) stored.add(item["id"]?.N);
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    },
  );

  test("a command on the same folder uses the running process", async () => {
    const data = `${folder}-${runs++}`;
    await dynamodb("--data", data);
    const created = start(
      ...["table", "create", "--table", "carts", "--partition-key", "id", "--data", data, "--create"],
    );
    expect(await text(created.stdout)).toBe("Created carts.\n");
    const listed = start("table", "list", "--data", data);
    expect(await text(listed.stdout)).toBe("carts\n");
  });
});

describe("the bundled program", () => {
  test("is what the bin runs", async () => {
    const { stderr, ended } = start("dynamodb", "--port", "none", "--debug");
    expect(await stderr).toMatch(/^ {4}at .*\/dist\/program\/\S+\.js:\d+:\d+/m);
    expect(await ended).toEqual([2, null]);
  });

  test("finds its pages and its version", async () => {
    const { url } = await serve();
    for (const name of ["console.css", "console.js"]) {
      const served = await fetch(new URL(`/assets/${name}`, url));
      expect(await served.text()).toBe(
        readFileSync(new URL(`../dist/console/${name}`, import.meta.url), "utf8"),
      );
    }
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(await text(start("--version").stdout)).toBe(`${version}\n`);
  });

  test("finds the parser of messages, which runs in a thread, and the storage library", async () => {
    const data = `${folder}-${runs++}`;
    mkdirSync(data);
    const file = join(data, "message.eml");
    writeFileSync(
      file,
      "From: Ann <ann@example.org>\r\nTo: bob@example.org\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\r\nHello\r\n",
    );
    const store = join(data, "store");
    const imported = start("mail", "import", file, "--data", store, "--json", "--create");
    const { id } = JSON.parse((await text(imported.stdout)).split("\n")[0] ?? "") as { id: string };
    expect(await text(start("mail", "get", id, "--data", store).stdout)).toContain("Subject:  Grüße\n");
  });

  test("says what to install for a command that needs an optional package", async () => {
    const { stderr, ended } = startProgram(installedAlone(), "mcp", "--json");
    expect(JSON.parse(await stderr)).toMatchObject({ error: { code: "CLI_PACKAGE_MISSING" } });
    expect(await ended).toEqual([3, null]);
  });
});

/** An installation with the packages that the program depends on, and none of the optional ones. Returns the file that `node` runs. */
function installedAlone(): string {
  const modules = join(`${folder}-${runs++}`, "node_modules");
  const own = new URL("../", import.meta.url);
  const manifest = readFileSync(new URL("package.json", own), "utf8");
  for (const part of ["package.json", "bin", "dist"])
    cpSync(new URL(part, own), join(modules, "tablekeep", part), { recursive: true });
  for (const name of Object.keys((JSON.parse(manifest) as { dependencies: object }).dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    // In a checkout, a version that another package does not share is beside the program.
    const places = ["node_modules/", "../../node_modules/"].map((place) => new URL(place + name, own));
    symlinkSync(fileURLToPath(places.find((place) => existsSync(place)) as URL), join(modules, name));
  }
  return join(modules, "tablekeep", "bin", "tablekeep.js");
}
