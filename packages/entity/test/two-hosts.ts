import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, sleep } from "@tablekeep/core";
import { type Journal, type JournalOptions, openJournal } from "@tablekeep/journal";
import {
  checkHistory,
  type JournalHistoryOperation,
  type JournalHistoryResult,
} from "@tablekeep/journal/testing";
import {
  type FakeClock,
  type Fault,
  type FaultSchedule,
  type FaultyPort,
  fakeClock,
  faultyPort,
  historyRecorder,
  operationsOf,
  randomSchedule,
  type SeededRandom,
  seededRandom,
} from "@tablekeep/testkit";
import { openSlowEngine } from "../../../simulation/slow-engine.mjs";
import { type EntityHost, openEntities } from "../src/index.ts";
import { type CounterEvent, claimsTable, counter } from "./counter.ts";
import { eventsOf, makeTables, storesOn, tables } from "./entity-world.ts";
import { recordingJournal } from "./recording-journal.ts";

type Fencing = "optimistic" | "strict";

/** One command, as its caller observed it. */
interface ObservedCommand {
  readonly id: string;
  /** Also stored in the event, if there is one. */
  readonly tag: string;
  readonly kind: "add" | "get";
  /** Most events that any reply reported before it was first sent; repeated, it gets its first reply. */
  readonly knownBefore: number;
  reply?: {
    readonly total: number;
    readonly eventId?: string;
    readonly sequenceNr?: number;
    readonly events?: number;
  };
  error?: { readonly code: string; readonly ambiguous: boolean };
}

/** The result of a run, and its problems. */
export interface TwoHostsRun {
  readonly schedules: readonly string[];
  readonly problems: readonly string[];
  readonly acked: number;
  readonly ambiguous: number;
  /** Commands whose item was rejected. */
  readonly rejectedItems: number;
}

const recorderOf = (clock: FakeClock) =>
  historyRecorder<JournalHistoryOperation, JournalHistoryResult>({ clock });
const ids = ["a", "b"];

/** Faults of every kind, with any request. */
function anyFaults(seed: number): FaultSchedule {
  return randomSchedule(seed, { calmAfter: 150, maxRate: 0.15 });
}

/** Only late writes and lost responses, so that most outcomes have to be resolved. */
function lostWrites(seed: number): FaultSchedule {
  const kinds = ["hang", "hang-after-apply", "delay", "delay-answer", "lost-after-apply"] as const;
  const { faults } = randomSchedule(seed, { calmAfter: 400, maxRate: 0.3, swarm: 0.7, kinds });
  const ofWrites = (fault: Fault) =>
    (["PutItem", "TransactWriteItems"] as const).map((op) => ({ ...late(fault), op }));
  return { seed, faults: faults.flatMap(ofWrites) };
}

/** Delays a write to just after the journal's deadline, two thirds of the host's, so that it may be applied after it was unknown. */
function late(fault: Fault): Fault {
  return fault.kind === "delay" ? { ...fault, ms: 5_333 + (fault.ms % 30) } : fault;
}

/** Runs two hosts for the same counters, each on a port with faults, until the faults end. Checks every reply. */
export async function runTwoHosts(
  seed: number,
  fencing: Fencing,
  plant: (journal: Journal) => Journal = (journal) => journal,
): Promise<TwoHostsRun> {
  const clock = fakeClock();
  const random = seededRandom(`two hosts ${seed}`);
  const { port: engine, transactionMs, busy } = await openSlowEngine(clock, seed, random.fork("engine"));
  const journalOptions = { fencing, layout: seed % 3 === 0 ? "bucketed" : "packed" } as const;
  await makeTables(engine, tables, journalOptions);
  await ensureTable(engine, { name: claimsTable, partitionKey: { name: "claim", type: "S" } });
  const recorder = recorderOf(clock);
  const ports = ["one", "two"].map((_name, at) =>
    faultyPort(engine, seed % 2 === 0 ? anyFaults(seed * 2 + at) : lostWrites(seed * 2 + at), { clock }),
  );
  const observed: ObservedCommand[] = [];
  const known = new Map<string, number>();
  await clock.autoAdvance(
    async () => {
      const hosts = await Promise.all(
        ports.map((port, at) =>
          openHost(port, recorder, `host-${at + 1}`, { clock, random, journalOptions, plant }),
        ),
      );
      const workers = hosts.flatMap((_host, at) =>
        [0, 1, 2].map((lane) =>
          work(hosts, at, `${at}-${lane}`, random.fork(`${at}-${lane}`), observed, known, clock),
        ),
      );
      await Promise.all(workers);
      await Promise.all(hosts.map((host) => host.close()));
      for (const port of ports) await port.settled();
      // Wait until the last transactions are visible.
      await sleep(clock, transactionMs);
    },
    { busy },
  );
  const problems = await judge(engine, recorder, observed, journalOptions);
  await engine.close();
  return {
    schedules: ports.map(({ schedule }) => schedule),
    problems,
    acked: observed.filter(({ reply }) => reply !== undefined).length,
    ambiguous: observed.filter(({ error }) => error?.ambiguous === true).length,
    rejectedItems: observed.filter(({ error }) => error?.code === "ENTITY_ALSO_WRITE_REJECTED").length,
  };
}

interface HostSetting {
  readonly clock: FakeClock;
  readonly random: SeededRandom;
  readonly journalOptions: Pick<JournalOptions, "fencing" | "layout">;
  readonly plant: (journal: Journal) => Journal;
}

async function openHost(
  port: FaultyPort,
  recorder: ReturnType<typeof recorderOf>,
  actor: string,
  { clock, random, journalOptions, plant }: HostSetting,
): Promise<EntityHost<typeof counter>> {
  const stores = await openPatiently(port, { clock, random: random.fork(actor), ...journalOptions });
  return openEntities({
    ...stores,
    journal: plant(recordingJournal(stores.journal, recorder, actor)),
    entities: [counter],
    clock,
    random: random.fork(`host ${actor}`),
    snapshotEvery: 5,
    keepSnapshots: 2,
    deadlineMs: 8_000,
    passivateAfterMs: 20_000,
  });
}

/** Retries, because faults affect opening too. */
async function openPatiently(port: DynamoPort, options: Parameters<typeof storesOn>[1]) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await storesOn(port, options);
    } catch (error) {
      if (attempt > 50) throw error;
    }
  }
}

/** One client: sends commands, some with an id, and repeats failed ones with an id on the other host. */
async function work(
  hosts: readonly EntityHost<typeof counter>[],
  home: number,
  name: string,
  random: SeededRandom,
  observed: ObservedCommand[],
  known: Map<string, number>,
  clock: FakeClock,
): Promise<void> {
  for (let turn = 0; turn < 8; turn++) {
    const id = random.pick(ids);
    const tag = `${name}-${turn}`;
    const kind = random.chance(0.25) ? "get" : "add";
    // A few names, so that some commands claim what is taken.
    const claim = random.chance(0.4) ? { claim: `${id}-${random.int(0, 19)}` } : {};
    const add = { type: "add", amount: random.int(1, 9), tag, ...claim } as const;
    const command = kind === "get" ? ({ type: "get" } as const) : add;
    const commandId = random.chance(0.5) ? tag : undefined;
    const knownBefore = known.get(id) ?? 0;
    let host = home;
    for (let delivery = 0; delivery < 4; delivery++) {
      const entry: ObservedCommand = { id, tag, kind, knownBefore };
      observed.push(entry);
      try {
        const reply = await hosts[host]
          ?.of(counter)
          .ask(id, command, commandId === undefined ? {} : { commandId });
        entry.reply = reply as NonNullable<ObservedCommand["reply"]>;
        const events = entry.reply.sequenceNr ?? entry.reply.events ?? 0;
        known.set(id, Math.max(known.get(id) ?? 0, events));
        break;
      } catch (error) {
        entry.error = error as NonNullable<ObservedCommand["error"]>;
        if (commandId === undefined) break;
        host = 1 - host;
      }
    }
    await new Promise<void>((resolve) => clock.after(random.int(0, 400), resolve));
  }
}

async function judge(
  engine: DynamoPort,
  recorder: ReturnType<typeof recorderOf>,
  observed: readonly ObservedCommand[],
  journalOptions: { readonly fencing: Fencing; readonly layout: JournalOptions["layout"] },
): Promise<string[]> {
  const { fencing } = journalOptions;
  const journal = await openJournal(engine, { table: tables.events, ...journalOptions });
  const watched = recordingJournal(journal, recorder, "judge");
  const problems: string[] = [];
  for (const id of ids) {
    const final = (await eventsOf(watched, `counter|${id}`)).map(({ payload }) => payload as CounterEvent);
    for (const each of observed.filter((one) => one.id === id))
      problems.push(...judgeOne(each, final, observed, fencing));
    problems.push(...(await judgeClaims(engine, id, final)));
  }
  const history = checkHistory(operationsOf(recorder.events), { strict: fencing === "strict" });
  return [
    ...problems,
    ...history.map(({ rule, persistenceId, message }) => `${rule} ${persistenceId}: ${message}`),
  ];
}

/** Checks that each event with a claim has its item, and each item its event. */
async function judgeClaims(
  engine: DynamoPort,
  id: string,
  final: readonly CounterEvent[],
): Promise<string[]> {
  const { Items = [] } = await engine.scan({ TableName: claimsTable, ConsistentRead: true });
  const written = Items.filter(({ claim }) => claim?.S?.startsWith(`${id}-`));
  const stored = written.map(({ claim, eventId }) => `${claim?.S} ${eventId?.S}`).sort();
  const expected = final
    .flatMap(({ claim, eventId }) => (claim === undefined ? [] : [`${claim} ${eventId}`]))
    .sort();
  return stored.join() === expected.join()
    ? []
    : [`${id}: the items are ${stored.join(", ")}, but the events claim ${expected.join(", ")}`];
}

/** Checks that the stored events explain what a caller observed. */
function judgeOne(
  each: ObservedCommand,
  final: readonly CounterEvent[],
  observed: readonly ObservedCommand[],
  fencing: Fencing,
): string[] {
  const { tag, kind, reply, error, knownBefore } = each;
  const sum = (count: number) => final.slice(0, count).reduce((total, { amount }) => total + amount, 0);
  const stored = final.filter((event) => event.tag === tag).length;
  const problems: string[] = [];
  if (stored > 1) problems.push(`${tag} was carried out ${stored} times`);
  if (reply !== undefined && kind === "add") {
    const at = reply.sequenceNr ?? 0;
    if (final[at - 1]?.eventId !== reply.eventId)
      problems.push(`${tag} was acknowledged as event ${at}, which is another one`);
    if (sum(at) !== reply.total)
      problems.push(`${tag} got ${reply.total}, but the events add up to ${sum(at)}`);
  }
  if (reply !== undefined && kind === "get") {
    const events = reply.events ?? 0;
    if (sum(events) !== reply.total) problems.push(`${tag} saw ${reply.total} after ${events} events`);
    if (fencing === "strict" && events < knownBefore)
      problems.push(`${tag} saw ${events} of ${knownBefore} events`);
  }
  const deliveries = observed.filter((other) => other.tag === tag);
  const surelyNot = deliveries.every((other) => other.error !== undefined && !other.error.ambiguous);
  if (error !== undefined && surelyNot && stored > 0)
    problems.push(`${tag} was reported as not stored, but it is`);
  if (error !== undefined && !error.code.startsWith("ENTITY_")) problems.push(`${tag} got ${String(error)}`);
  return problems;
}
