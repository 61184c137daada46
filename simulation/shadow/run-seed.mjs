import { createHash } from "node:crypto";
import { ensureTable } from "@tablekeep/client";
import { sleep } from "@tablekeep/core";
import { openShadowManager, openShadows, shadowTableSpec } from "@tablekeep/shadow";
import { checkShadowHistory } from "@tablekeep/shadow/testing";
import {
  fakeClock,
  faultyPort,
  historyRecorder,
  operationsOf,
  randomSchedule,
  seededRandom,
} from "@tablekeep/testkit";
import { openSlowEngine } from "../slow-engine.mjs";
import { clientActor } from "./client-actor.mjs";
import { neededKinds, planted } from "./planted.mjs";

const table = "shadows";

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
  "transaction-conflict",
];

/**
 * Runs a seed. Returns the violations (none, if all is well) and the data needed to examine them.
 *
 * @param {number} seed
 * @param {{ operations?: number, clients?: number, plant?: string | undefined }} [wanted] `plant` names a mistake to find
 */
export async function runSeed(seed, { operations = 500, clients = 8, plant } = {}) {
  const random = seededRandom(`shadow ${seed}`);
  const model = random.pick(["combined", "separate"]);
  const clock = fakeClock();
  const { port: engine, transactionMs, busy } = await openSlowEngine(clock, seed, random);
  await ensureTable(engine, shadowTableSpec(table));
  const port = faultyPort(engine, scheduleFor(seed, random, operations, neededKinds[plant]), { clock });
  const calmPort = faultyPort(engine, { seed, faults: [] }, { clock });
  const recorder = historyRecorder({ clock });
  const options = { table, model, clock, random: random.fork("jitter") };
  const open = (on) => ({
    shadows: openShadows(on, options),
    manager: openShadowManager(on, options, { policy: "aws" }),
  });
  const flawed = plant === undefined ? port : planted[plant](port);
  const world = { model, clock, recorder, texts: 0, ids: ["a", "b"].slice(0, random.int(1, 2)) };
  await clock.autoAdvance(
    async () => {
      const share = Math.ceil(operations / clients);
      const actors = Array.from({ length: clients }, (_unused, at) =>
        clientActor(world, { name: `client-${at + 1}`, random: random.fork(at), share, ...open(flawed) }),
      );
      await Promise.all(actors);
      await port.settled();
      // What was accepted last becomes visible.
      await sleep(clock, transactionMs);
      const last = { name: "last", random: random.fork("last"), share: 4, calm: true, ...open(calmPort) };
      await clientActor(world, last);
    },
    { busy },
  );
  await engine.close();
  const ends = operationsOf(recorder.events);
  return {
    violations: checkShadowHistory(ends).map(({ rule, key, message }) => `${rule} ${key}: ${message}`),
    schedule: port.schedule,
    store: model,
    requests: port.requestCount(),
    ok: ends.filter(({ outcome }) => outcome === "ok").length,
    hash: createHash("sha256").update(JSON.stringify(recorder.events)).digest("hex"),
  };
}

/** At most half of the requests meet faults; then there are none. */
function scheduleFor(seed, random, operations, needed) {
  const maxRate = random.pick([0.03, 0.1, 0.25]);
  if (needed === undefined) return randomSchedule(seed, { kinds, calmAfter: operations, maxRate });
  return randomSchedule(seed, { kinds: needed, calmAfter: operations, maxRate: 0.8, swarm: 1 });
}
