import { createHash } from "node:crypto";
import { ensureTable } from "@tablekeep/client";
import { sleep } from "@tablekeep/core";
import { journalTableSpec } from "@tablekeep/journal";
import { checkHistory } from "@tablekeep/journal/testing";
import {
  fakeClock,
  faultyPort,
  historyRecorder,
  operationsOf,
  randomSchedule,
  seededRandom,
} from "@tablekeep/testkit";
import { openSlowEngine } from "../slow-engine.mjs";
import {
  callerActor,
  deleterActor,
  loaderActor,
  mixtures,
  readerActor,
  toolActor,
  writerActor,
} from "./actors.mjs";
import { calm } from "./calm.mjs";
import { neededKinds, packedOnly, planted, plantedJournals } from "./planted.mjs";

const table = "events";

/** Kinds of faults of DynamoDB. It never reports a failed condition that did not fail. */
const kinds = [
  "throttle",
  "error-before-apply",
  "error-after-apply",
  "unreachable",
  "lost-before-apply",
  "lost-after-apply",
  "hang",
  "hang-after-apply",
  "delay",
  "delay-answer",
  "unprocessed",
  "page-cut",
  "transaction-conflict",
];

/** How many requests go wrong at random before all is calm. */
const faultyRequests = 150;

/**
 * Runs a seed. Returns the violations (none, if all is well) and the data needed to examine them.
 *
 * @param {number} seed
 * @param {{ layout?: string | undefined, strict?: boolean | undefined, plant?: string | undefined }} [wanted] instead of
 *   what the seed would choose; `plant` names a mistake to find
 */
export async function runSeed(seed, wanted = {}) {
  const random = seededRandom(`journal ${seed}`);
  const options = {
    table,
    layout: layoutOf(wanted, random),
    fencing: (wanted.strict ?? random.chance(0.4)) ? "strict" : "optimistic",
    sequenceShards: 2,
    replayParallelism: random.int(1, 4),
  };
  // From an event an item, so that large writes are staged, to all that DynamoDB takes.
  if (options.layout === "packed") options.maxItemSize = random.pick([120, 120, 600, 400_000]);
  const clock = fakeClock();
  const { port: engine, transactionMs, busy } = await openSlowEngine(clock, seed, random);
  await ensureTable(engine, journalTableSpec(options));
  const schedule = randomSchedule(seed, scheduleOptions(random, neededKinds[wanted.plant]));
  const port = faultyPort(engine, schedule, { clock });
  const calmPort = faultyPort(engine, { seed, faults: [] }, { clock });
  const recorder = historyRecorder({ clock });
  const flawed = planted[wanted.plant] ?? ((sound) => sound);
  const flawedJournal = plantedJournals[wanted.plant] ?? ((sound) => sound);
  const sizes = random.pick(mixtures);
  const world = {
    options,
    transactionMs,
    sizes,
    port,
    flawed,
    flawedJournal,
    loaded: new Map(),
    calmPort,
    clock,
    random,
    recorder,
    texts: 0,
    problems: [],
  };
  await clock.autoAdvance(() => story(world), { busy });
  await engine.close();
  const operations = operationsOf(recorder.events);
  const violations = checkHistory(operations, { strict: options.fencing === "strict" }).map(
    ({ rule, persistenceId, message }) => `${rule} ${persistenceId}: ${message}`,
  );
  return {
    violations: [...world.problems, ...violations],
    schedule: port.schedule,
    journal: `${options.layout}, ${options.fencing}`,
    requests: port.requestCount(),
    trace: recorder.events.map((event) => JSON.stringify(event)),
    hash: hashOf(recorder.events),
  };
}

function layoutOf({ layout, plant }, random) {
  const chosen = random.pick(["packed", "packed", "bucketed", "bucketed", "linear", "scattered"]);
  return layout ?? (packedOnly.includes(plant) ? "packed" : chosen);
}

function scheduleOptions(random, needed) {
  const maxRate = random.pick([0.03, 0.1, 0.25]);
  if (needed === undefined) return { kinds, calmAfter: faultyRequests, maxRate };
  return { kinds: needed, calmAfter: faultyRequests, maxRate: 0.8, swarm: 1 };
}

async function story(world) {
  const { random } = world;
  const ids = Array.from({ length: random.int(1, 2) }, (_unused, at) => `id-${at + 1}`);
  const actors = [];
  for (let writer = 1; writer <= random.int(2, 4); writer++)
    actors.push(writerActor(world, `writer-${writer}`, random.pick(ids)));
  for (let reader = 1; reader <= random.int(1, 2); reader++)
    actors.push(readerActor(world, `reader-${reader}`, random.pick(ids)));
  // What changes stored events meets at one id.
  const changed = random.pick(ids);
  if (random.chance(0.6)) actors.push(deleterActor(world, "deleter", changed));
  if (random.chance(0.5)) actors.push(callerActor(world, "caller", random.pick(ids)));
  if (random.chance(0.5)) actors.push(toolActor(world, "expirer", changed, "expire"));
  if (world.options.layout === "packed") {
    for (let compactor = random.int(0, 2); compactor > 0; compactor--)
      actors.push(toolActor(world, `compactor-${compactor}`, changed, "compact"));
    if (random.chance(0.4)) actors.push(loaderActor(world, "loader", random.pick(ids)));
  }
  await Promise.all(actors);
  await world.port.settled();
  // What was accepted last becomes visible.
  await sleep(world.clock, world.transactionMs);
  for (const id of ids) await calm(world, id);
}

/** What happened, without what is drawn again in every run: the ids of writers. */
function hashOf(events) {
  const plain = JSON.stringify(events, (key, value) => (key === "writerUuid" ? undefined : value));
  return createHash("sha256").update(plain).digest("hex");
}
