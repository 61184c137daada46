import { readFileSync } from "node:fs";
import { batchWrite, ensureTable } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { fakeClock } from "@tablekeep/testkit";
import { type Envelope, type Mail, type MailOptions, mailTableSpec, openMail } from "../src/index.ts";

const folder = new URL("./fixtures/mhdynamo/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder));
const json = (name: string) => JSON.parse(read(name).toString());

interface Listing {
  readonly start: number;
  readonly limit: number;
  readonly ids: readonly string[];
}

/** The answers of the Go package. */
export const expected = json("expected.json") as {
  readonly now: string;
  readonly hostname: string;
  readonly ttlDays: number;
  readonly loaded: Readonly<Record<string, unknown>>;
  readonly beforeDelete: { readonly count: number; readonly lists: readonly Listing[] };
  readonly store: readonly {
    readonly file: string;
    readonly storageId?: string;
    readonly storeError: string | null;
  }[];
};

/** The items of its table. */
export const items = (json("table.json") as { readonly Items: Item[] }).Items;

const envelopes = json("inputs/envelopes.json") as Record<
  string,
  { from: string; to: string[] | null; helo: string; secondMailOfTheSession: boolean }
>;

/** The messages sent. The Go package lost the HELO of a session's second message. */
export function inputOf(file: string): { readonly envelope: Envelope; readonly raw: Buffer } {
  const { from = "", to = [], helo = "", secondMailOfTheSession = false } = envelopes[file] ?? {};
  return {
    envelope: { from, to: to ?? [], helo: secondMailOfTheSession ? "" : helo },
    raw: read(`inputs/${file}`),
  };
}

/** A store on a copy of the table, at the time of the original's run. */
export async function mailOnFixture(options: MailOptions = {}): Promise<{ mail: Mail; port: DynamoPort }> {
  const clock = fakeClock({ startAt: Date.parse(expected.now) });
  const port = await openEngine({ storage: { kind: "memory" }, clock });
  const given: MailOptions = {
    table: "mailhog",
    layout: "mhdynamo",
    hostname: expected.hostname,
    ttlDays: expected.ttlDays,
    clock,
    ...options,
  };
  await ensureTable(port, mailTableSpec(given));
  await batchWrite(
    port,
    items.map((put) => ({ table: "mailhog", put })),
  );
  return { port, mail: await openMail(port, given) };
}
