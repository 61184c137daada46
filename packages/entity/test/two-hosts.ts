import { type DynamoPort, sleep } from "@tablekeep/core";
import { type Journal, openJournal } from "@tablekeep/journal";
import { checkHistory, type JournalDeed, type JournalFinding } from "@tablekeep/journal/testing";
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
import { type CounterEvent, counter } from "./counter.ts";
import { eventsOf, makeTables, storesOn, tables } from "./entity-world.ts";
import { recordingJournal } from "./recording-journal.ts";

type Fencing = "optimistic" | "strict";

/** One command as its caller saw it. */
interface Told {
  readonly id: string;
  /** Stands in the event, if there is one. */
  readonly tag: string;
  readonly kind: "add" | "get";
  /** The most events that any reply had told before it was first given: given again, it gets its first reply. */
  readonly knownBefore: number;
  reply?: {
    readonly total: number;
    readonly eventId?: string;
    readonly sequenceNr?: number;
    readonly events?: number;
  };
  error?: { readonly code: string; readonly ambiguous: boolean };
}

/** What a run showed, and what is wrong with it. */
export interface TwoHostsRun {
  readonly schedules: readonly string[];
  readonly problems: readonly string[];
  readonly acked: number;
  readonly inDoubt: number;
}

const recorderOf = (clock: FakeClock) => historyRecorder<JournalDeed, JournalFinding>({ clock });
const ids = ["a", "b"];

/** All sorts of trouble, with any request. */
function anyTrouble(seed: number): FaultSchedule {
  return randomSchedule(seed, { calmAfter: 150, maxRate: 0.15 });
}

/** Writes that are late or whose answers are lost, and nothing else: most of their fates must be found out. */
function lostWrites(seed: number): FaultSchedule {
  const kinds = ["hang", "hang-after-apply", "delay", "delay-answer", "lost-after-apply"] as const;
  const { faults } = randomSchedule(seed, { calmAfter: 400, maxRate: 0.3, swarm: 0.7, kinds });
  const ofWrites = (fault: Fault) =>
    (["PutItem", "TransactWriteItems"] as const).map((op) => ({ ...fault, op }));
  return { seed, faults: faults.flatMap(ofWrites) };
}

/** Two hosts for the same counters, each on a port with faults, until calm; everything they said is checked. */
export async function runTwoHosts(
  seed: number,
  fencing: Fencing,
  plant: (journal: Journal) => Journal = (journal) => journal,
): Promise<TwoHostsRun> {
  const clock = fakeClock();
  const random = seededRandom(`two hosts ${seed}`);
  const { port: engine, transactionMs, busy } = await openSlowEngine(clock, seed, random.fork("engine"));
  await makeTables(engine);
  const recorder = recorderOf(clock);
  const ports = ["one", "two"].map((_name, at) =>
    faultyPort(engine, seed % 2 === 0 ? anyTrouble(seed * 2 + at) : lostWrites(seed * 2 + at), { clock }),
  );
  const told: Told[] = [];
  const known = new Map<string, number>();
  await clock.autoAdvance(
    async () => {
      const hosts = await Promise.all(
        ports.map((port, at) =>
          openHost(port, recorder, `host-${at + 1}`, { clock, random, fencing, plant }),
        ),
      );
      const workers = hosts.flatMap((_host, at) =>
        [0, 1, 2].map((lane) =>
          work(hosts, at, `${at}-${lane}`, random.fork(`${at}-${lane}`), told, known, clock),
        ),
      );
      await Promise.all(workers);
      await Promise.all(hosts.map((host) => host.close()));
      for (const port of ports) await port.settled();
      // What was accepted last becomes visible.
      await sleep(clock, transactionMs);
    },
    { busy },
  );
  const problems = await judge(engine, recorder, told, fencing);
  await engine.close();
  return {
    schedules: ports.map(({ schedule }) => schedule),
    problems,
    acked: told.filter(({ reply }) => reply !== undefined).length,
    inDoubt: told.filter(({ error }) => error?.ambiguous === true).length,
  };
}

interface HostSetting {
  readonly clock: FakeClock;
  readonly random: SeededRandom;
  readonly fencing: Fencing;
  readonly plant: (journal: Journal) => Journal;
}

async function openHost(
  port: FaultyPort,
  recorder: ReturnType<typeof recorderOf>,
  actor: string,
  { clock, random, fencing, plant }: HostSetting,
): Promise<EntityHost<typeof counter>> {
  const stores = await openPatiently(port, { clock, random: random.fork(actor), fencing });
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

/** Opening is refused by faults too. */
async function openPatiently(port: DynamoPort, options: Parameters<typeof storesOn>[1]) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await storesOn(port, options);
    } catch (error) {
      if (attempt > 50) throw error;
    }
  }
}

/** One client: gives commands, some with an id, and gives those in doubt again, to the other host. */
async function work(
  hosts: readonly EntityHost<typeof counter>[],
  home: number,
  name: string,
  random: SeededRandom,
  told: Told[],
  known: Map<string, number>,
  clock: FakeClock,
): Promise<void> {
  for (let turn = 0; turn < 8; turn++) {
    const id = random.pick(ids);
    const tag = `${name}-${turn}`;
    const kind = random.chance(0.25) ? "get" : "add";
    const command =
      kind === "get" ? ({ type: "get" } as const) : ({ type: "add", amount: random.int(1, 9), tag } as const);
    const commandId = random.chance(0.5) ? tag : undefined;
    const knownBefore = known.get(id) ?? 0;
    let host = home;
    for (let delivery = 0; delivery < 4; delivery++) {
      const entry: Told = { id, tag, kind, knownBefore };
      told.push(entry);
      try {
        const reply = await hosts[host]
          ?.of(counter)
          .ask(id, command, commandId === undefined ? {} : { commandId });
        entry.reply = reply as NonNullable<Told["reply"]>;
        const events = entry.reply.sequenceNr ?? entry.reply.events ?? 0;
        known.set(id, Math.max(known.get(id) ?? 0, events));
        break;
      } catch (error) {
        entry.error = error as NonNullable<Told["error"]>;
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
  told: readonly Told[],
  fencing: Fencing,
): Promise<string[]> {
  const journal = await openJournal(engine, { table: tables.events, fencing });
  const watched = recordingJournal(journal, recorder, "judge");
  const problems: string[] = [];
  for (const id of ids) {
    const final = (await eventsOf(watched, `counter|${id}`)).map(({ payload }) => payload as CounterEvent);
    for (const each of told.filter((one) => one.id === id))
      problems.push(...judgeOne(each, final, told, fencing));
  }
  const history = checkHistory(operationsOf(recorder.events), { strict: fencing === "strict" });
  return [
    ...problems,
    ...history.map(({ rule, persistenceId, message }) => `${rule} ${persistenceId}: ${message}`),
  ];
}

/** What a caller was told must be explained by the events that are there in the end. */
function judgeOne(
  each: Told,
  final: readonly CounterEvent[],
  told: readonly Told[],
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
      problems.push(`${tag} was acked as event ${at}, which is another`);
    if (sum(at) !== reply.total)
      problems.push(`${tag} was told ${reply.total}, and the events say ${sum(at)}`);
  }
  if (reply !== undefined && kind === "get") {
    const events = reply.events ?? 0;
    if (sum(events) !== reply.total) problems.push(`${tag} saw ${reply.total} after ${events} events`);
    if (fencing === "strict" && events < knownBefore)
      problems.push(`${tag} saw ${events} of ${knownBefore} events`);
  }
  const deliveries = told.filter((other) => other.tag === tag);
  const surelyNot = deliveries.every((other) => other.error !== undefined && !other.error.ambiguous);
  if (error !== undefined && surelyNot && stored > 0)
    problems.push(`${tag} was told not to be stored, and it is`);
  if (error !== undefined && !error.code.startsWith("ENTITY_")) problems.push(`${tag} got ${String(error)}`);
  return problems;
}
