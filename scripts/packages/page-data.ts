import { connect, ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { journalTableSpec, openJournal, openSnapshots, snapshotTableSpec } from "@tablekeep/journal";
import { mailTableSpec } from "@tablekeep/mail";
import { openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { startTestServer } from "tablekeep/testing";
import type { PageRun } from "./page-run.ts";

type Prepare = (run: PageRun, port: DynamoPort) => Promise<void | (() => Promise<void>)>;

/** The tables and files that a page requires: its reader has them on AWS. */
const preparations: Readonly<Record<string, Prepare>> = {
  "docs/how-to/journal-tools.md": async (run, port) => {
    await append(port, { table: "events" }, "cart-17", ["apple", "pear"]);
    await append(port, { table: "packed-events", layout: "packed" }, "cart-1", ["apple", "pear", "plum"]);
    const old = { table: "journal-0.3", layout: "scattered" } as const;
    await append(
      port,
      old,
      "orders",
      Array.from({ length: 9 }, (_, index) => `order ${index + 1}`),
    );
    const table = ["tablekeep", "table"];
    const at = ["--endpoint", run.endpoint];
    await run.run("npx", [...table, "export", "events", ...at, "--output", "journal.json"]);
    await run.run("npx", [...table, "export", "journal-0.3", ...at, "--output", "old.json"]);
    await run.run("npx", [...table, "import", "old.json", "--create"]);
  },
  "docs/how-to/local-dynamodb.md": (_, port) => createCarts(port),
  "packages/tablekeep/README.md": (_, port) => createCarts(port),
  "docs/how-to/local-shadows.md": async (run) => {
    const aws = await startTestServer({ mail: false, dynamodb: false, journals: [] });
    run.env["AWS_ENDPOINT_URL_IOT_DATA_PLANE"] = aws.url;
    for (const name of ["", "?name=night"])
      await fetch(new URL(`things/lamp/shadow${name}`, aws.url), {
        method: "POST",
        body: '{"state":{"desired":{"level":3}}}',
      });
    return () => aws.stop();
  },
  "docs/how-to/moving-from-akka.md": async (_, port) => {
    await append(port, { table: "akka-persistence", journalName: "journal", akka: "2.6" }, "cart-17", [
      "apple",
    ]);
    await ensureTable(port, snapshotTableSpec("akka-persistence-snapshot"));
    const options = { table: "akka-persistence-snapshot", journalName: "journal" };
    await (await openSnapshots(port, options)).save("cart-17", 1, "1 apple");
  },
  "docs/how-to/moving-from-godeviceshadow.md": async (_, port) => {
    await ensureTable(port, shadowTableSpec("go-deviceshadow"));
    const manager = openShadowManager(port, { table: "go-deviceshadow" }, { policy: "acknowledge" });
    const state = { Sensors: { temp: { Value: 20, Timestamp: "2026-02-01T10:00:00Z" } } };
    await manager.report({ id: "device-1", name: "climate", state });
  },
  "docs/how-to/moving-from-mailhog.md": async (_, port) => {
    await ensureTable(port, mailTableSpec({ layout: "mhdynamo", table: "mailhog" }));
  },
  "docs/how-to/production-on-aws.md": async (_, port) => {
    const journals = [
      journalTableSpec(),
      journalTableSpec({ table: "orders" }),
      snapshotTableSpec("snapshots"),
    ];
    for (const spec of [...journals, mailTableSpec(), shadowTableSpec()]) await ensureTable(port, spec);
  },
};

/** Prepares what a page requires. Returns a function that ends it. */
export async function preparePage(page: string, run: PageRun): Promise<() => Promise<void>> {
  const port = connect({
    endpoint: run.endpoint,
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
  });
  try {
    const end = await preparations[page]?.(run, port);
    return end ?? (async () => {});
  } finally {
    await port.close();
  }
}

async function append(
  port: DynamoPort,
  options: Parameters<typeof openJournal>[1],
  id: string,
  payloads: readonly string[],
): Promise<void> {
  await ensureTable(port, journalTableSpec(options));
  const writer = await (await openJournal(port, options)).recover(id);
  for (const payload of payloads) await writer.append({ payload });
}

async function createCarts(port: DynamoPort): Promise<void> {
  await ensureTable(port, { name: "carts", partitionKey: { name: "id", type: "S" } });
  await port.putItem({ TableName: "carts", Item: { id: { S: "cart-1" } } });
}
