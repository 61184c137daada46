import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, sleep } from "@tablekeep/core";
import { type EngineOptions, openEngine } from "@tablekeep/engine";
import { type Journal, type JournalOptions, journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import {
  type FakeClock,
  type FaultyPort,
  fakeClock,
  faultyPort,
  randomSchedule,
  type SeededRandom,
  seededRandom,
} from "@tablekeep/testkit";
import { expect } from "vitest";
import { type ChangeSource, ensureStream, type Feed, openFeed, openStreamSource } from "../src/index.ts";

type Streams = NonNullable<EngineOptions["behavior"]>["streams"];

/** Everything runs on one clock, which stands still while anything else is left to do. */
interface FaultyWorld {
  readonly engine: DynamoPort;
  readonly clock: FakeClock;
  readonly random: SeededRandom;
  readonly journal: Journal;
  readonly options: JournalOptions;
  readonly arn: string;
  readonly appended: Map<string, number>;
}

const ids = 4;
/** Beyond the lags of the streams here. */
const windowMs = 10_000;

/** What a run has met. */
export interface FaultyRun {
  readonly faults: number;
  readonly crashes: number;
}

/**
 * Appends events while two sequencers run over ports that lose answers, delay and fail, and which crash at random moments. Then
 * everything is calm, and the feed must be whole.
 */
export async function runFaultyFeed(
  seed: number,
  options: JournalOptions,
  streams: Streams,
): Promise<FaultyRun> {
  const clock = fakeClock();
  await using engine = await openEngine({
    storage: { kind: "memory" },
    clock,
    behavior: { seed, streams },
  });
  await ensureTable(engine, journalTableSpec(options));
  const ports: FaultyPort[] = [];
  return await clock.autoAdvance(
    async () => {
      const { arn } = await ensureStream(engine, options.table ?? "events", "NEW_IMAGE", { clock });
      const journal = await openJournal(engine, { ...options, clock });
      const random = seededRandom(`feed ${seed}`);
      const world = { engine, clock, random, journal, options, arn, appended: new Map<string, number>() };
      const processes = [startProcesses(world, ports), startProcesses(world, ports)];
      for (let round = 0; round < 30; round++) {
        await appendSome(world);
        await sleep(clock, random.int(0, 3000));
      }
      const crashes = await Promise.all(processes.map((process) => process.stop()));
      await expectWhole(world);
      const faults = ports.reduce((total, { log }) => total + log.length, 0);
      return { faults, crashes: crashes.reduce((total, count) => total + count, 0) };
    },
    { busy: () => ports.some((port) => port.busy()), limit: 200_000 },
  );
}

async function appendSome({ journal, random, appended }: FaultyWorld): Promise<void> {
  for (let writes = random.int(1, 6); writes > 0; writes--) {
    const id = `thing|${random.int(1, ids)}`;
    const events = Array.from({ length: random.int(1, 3) }, (_unused, at) => ({ payload: at }));
    unwrap(await journal.append(id, events));
    appended.set(id, (appended.get(id) ?? 0) + events.length);
  }
}

/** Runs one sequencer after another. Each crashes after a while: none of its requests is answered from then on. */
function startProcesses(world: FaultyWorld, ports: FaultyPort[]): { stop(): Promise<number> } {
  const { engine, clock, random } = world;
  const stop = new AbortController();
  const own = random.fork(`process ${ports.length}`);
  const living = (async () => {
    let crashes = 0;
    while (!stop.signal.aborted) {
      const schedule = randomSchedule(own.int(1, 1_000_000), { maxRate: 0.1, calmAfter: own.int(50, 300) });
      const port = faultyPort(engine, schedule, { clock });
      ports.push(port);
      const life = new AbortController();
      // A process that cannot open the feed ends, and another is started.
      const feed = await openedFeed(world, mortal(port, life.signal), own).catch(() => undefined);
      const failed = feed?.run({ signal: new AbortController().signal });
      const lifetime = sleep(clock, own.int(100, 40_000), stop.signal).catch(() => {});
      await Promise.race([lifetime, failed ?? []]);
      life.abort();
      crashes++;
      await sleep(clock, own.int(0, 5000));
    }
    return crashes;
  })();
  return {
    stop() {
      stop.abort();
      return living;
    },
  };
}

/** A port of a process: once it has crashed, no answer ever comes. */
function mortal(port: DynamoPort, crash: AbortSignal): DynamoPort {
  const never = new Promise<never>(() => {});
  return new Proxy(port, {
    get(target, name) {
      const call = Reflect.get(target, name) as unknown;
      if (typeof call !== "function") return call;
      return (...args: unknown[]) => {
        if (crash.aborted) return never;
        const answer = Reflect.apply(call, target, args) as Promise<unknown>;
        return answer.then(
          (value) => (crash.aborted ? never : value),
          (error: unknown) => (crash.aborted ? never : Promise.reject(error)),
        );
      };
    },
  });
}

function openedFeed(world: FaultyWorld, port: DynamoPort, random: SeededRandom): Promise<Feed> {
  const { clock, options, arn } = world;
  const { table: tableName = "events" } = options;
  const source: ChangeSource = {
    arn,
    async *read(...args) {
      const stream = { tableName, streamArn: arn, clock, deadlineMs: 5000 };
      yield* (await openStreamSource(port, stream)).read(...args);
    },
  };
  const paces = { leaseMs: 2000, checkpointMs: 1000, deadlineMs: 5000 };
  return openFeed(port, { journal: options, slices: 2, windowMs, clock, random, source, ...paces });
}

/** Every event once, in order, by offsets without a gap. */
async function expectWhole(world: FaultyWorld): Promise<void> {
  const feed = await openedFeed(world, world.engine, world.random);
  await feed.catchUp();
  const found = new Map<string, number>();
  const offsets = new Map<number, number>();
  for await (const { persistenceId, sequenceNr, slice, offset, late } of feed.read()) {
    expect({ persistenceId, sequenceNr, late, offset }).toEqual({
      persistenceId,
      sequenceNr: (found.get(persistenceId) ?? 0) + 1,
      late: false,
      offset: offsets.get(slice) ?? 0,
    });
    found.set(persistenceId, sequenceNr);
    offsets.set(slice, offset + 1);
  }
  expect(found).toEqual(world.appended);
  expect((await feed.verify()).findings).toEqual([]);
}
