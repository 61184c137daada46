import { type Clock, type DynamoPort, type Item, type StreamViewType, sleep } from "@tablekeep/core";
import { type EngineOptions, openEngine } from "@tablekeep/engine";
import { type FakeClock, fakeClock, type SeededRandom } from "@tablekeep/testkit";
import { expect } from "vitest";
import {
  type ChangeBatch,
  type ChangeRecord,
  openStreamSource,
  type StreamSourceOptions,
} from "../src/index.ts";

export const tableName = "things";

/** Creates the table, with a stream. */
export async function createThings(
  port: DynamoPort,
  view: StreamViewType = "NEW_IMAGE",
  name: string = tableName,
): Promise<void> {
  await port.createTable({
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "N" },
    ],
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: view },
  });
}

export interface StreamWorld extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly port: DynamoPort;
}

/** An engine on a clock that stands still, with the table. */
export async function streamWorld(
  behavior?: EngineOptions["behavior"],
  view?: StreamViewType,
): Promise<StreamWorld> {
  const clock = fakeClock();
  const engine = await openEngine({ storage: { kind: "memory" }, clock, ...(behavior && { behavior }) });
  await createThings(engine, view);
  return { clock, port: engine, [Symbol.asyncDispose]: () => engine.close() };
}

/** What was written: for each item, its changes in order. It knows nothing of streams. */
export class Written {
  readonly #changes = new Map<string, { kind: ChangeRecord["kind"]; version: number | undefined }[]>();
  readonly #present = new Set<string>();
  #version = 0;
  count = 0;

  /** Returns a new version of an item, and notes its put. */
  put(name: string): Item {
    const version = ++this.#version;
    this.#note(name, this.#present.has(name) ? "modify" : "insert", version);
    this.#present.add(name);
    return { ...keyOf(name), version: { N: String(version) } };
  }

  /** Notes that an item was deleted. Deleting what is absent changes nothing. */
  delete(name: string): void {
    if (this.#present.delete(name)) this.#note(name, "remove", undefined);
  }

  #note(name: string, kind: ChangeRecord["kind"], version: number | undefined): void {
    const changes = this.#changes.get(name) ?? [];
    changes.push({ kind, version });
    this.#changes.set(name, changes);
    this.count++;
  }

  /** Every change was seen exactly once, and those of an item in their order. */
  compare(seen: readonly ChangeRecord[]): void {
    const byItem = new Map<string, { kind: string; version: number | undefined }[]>();
    for (const { kind, keys, image } of seen) {
      const name = `${keys["pk"]?.S}/${keys["sk"]?.N}`;
      const version = image === undefined ? undefined : Number(image["version"]?.N);
      byItem.set(name, [...(byItem.get(name) ?? []), { kind, version }]);
    }
    const sorted = (map: ReadonlyMap<string, unknown>) => Object.fromEntries([...map].sort());
    expect(sorted(byItem)).toEqual(sorted(this.#changes));
  }
}

function keyOf(name: string): Item {
  const [pk = "", sk = ""] = name.split("/");
  return { pk: { S: pk }, sk: { N: sk } };
}

/** Where to write and to read. */
export interface Things {
  readonly port: DynamoPort;
  readonly clock: Clock;
  /** @default "things" */
  readonly table?: string;
}

/** Writes at random: single items, deletions, batches of a transaction, with pauses. */
export async function writeRandomly(
  { port, clock, table = tableName }: Things,
  random: SeededRandom,
  written: Written,
  requests: number,
  pauseMs = 300,
): Promise<void> {
  const name = () => `${"abcdef"[random.int(0, 5)]}/${random.int(1, 4)}`;
  for (let count = 0; count < requests; count++) {
    const dice = random.int(0, 9);
    if (dice === 0) {
      const gone = name();
      await port.deleteItem({ TableName: table, Key: keyOf(gone) });
      written.delete(gone);
    } else if (dice <= 2) {
      const names = new Set([name(), name(), name()]);
      const Put = [...names].map((each) => ({ TableName: table, Item: written.put(each) }));
      await port.transactWriteItems({ TransactItems: Put.map((each) => ({ Put: each })) });
    } else {
      await port.putItem({ TableName: table, Item: written.put(name()) });
    }
    if (pauseMs > 0) await sleep(clock, random.int(0, pauseMs));
  }
}

/** A checkpoint, as a reader that processes everything at once would keep it. */
export class Checkpoint {
  readonly from = new Map<string, bigint>();
  readonly seenUntil = new Map<string, number>();

  add({ positions, gone = [] }: ChangeBatch): void {
    for (const [shard, { sequence, seenUntil }] of positions) {
      if (sequence !== undefined) this.from.set(shard, sequence);
      this.seenUntil.set(shard, seenUntil);
    }
    for (const shard of gone) {
      this.from.delete(shard);
      this.seenUntil.delete(shard);
    }
  }
}

export interface ReadSome {
  readonly checkpoint: Checkpoint;
  readonly options?: Partial<StreamSourceOptions>;
  /** Ends the reading once it returns true after a batch. */
  readonly until: (seen: readonly ChangeRecord[], batch: ChangeBatch) => boolean;
}

/** Reads from the checkpoint, which moves on, until `until` returns true. Opens the source again, as a new process would. */
export async function readSome(
  { port, clock, table = tableName }: Things,
  { checkpoint, options, until }: ReadSome,
): Promise<ChangeRecord[]> {
  const source = await openStreamSource(port, { tableName: table, clock, ...options });
  const seen: ChangeRecord[] = [];
  const stop = new AbortController();
  const { from, seenUntil } = checkpoint;
  for await (const batch of source.read(new Map(from), {
    signal: stop.signal,
    seenUntil: new Map(seenUntil),
  })) {
    seen.push(...batch.records);
    checkpoint.add(batch);
    if (until(seen, batch)) break;
  }
  stop.abort();
  return seen;
}
