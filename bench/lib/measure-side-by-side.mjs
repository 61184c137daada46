/**
 * Runs the same work on several sides in turn, a slice of time each, so that whatever else the machine does meets all
 * of them alike.
 */
import { cpuSeconds } from "./cpu-seconds.mjs";

/** One slice, in seconds. */
const slice = 0.1;
/**
 * Warm-up calls: a server of many small functions is compiled only after several thousand, and costs two to three times as much
 * before. The limit is CPU time of this process: on a busy machine the calls take longer, and are still needed.
 */
const warmUp = { seconds: 1, calls: 5_000, atMostCpuSeconds: 4 };

/**
 * @typedef {(lane: number) => Promise<unknown>} Work each call gets the number of its lane, from 0
 * @typedef {{ done: number, elapsed: number, cpu: number }} Slice calls, seconds, and µs of CPU
 *
 * @param {Record<string, Work | { runFor: (inFlight: number, seconds: number) => Promise<Slice> }>} sides the second form is
 *   a side that calls the work itself, in another process
 * @param {{ inFlight: number, seconds?: number, rounds?: number, servers?: Record<string, number> }} options the seconds
 *   are those of a side in a round; `servers` has the process id of the server that only this side uses
 * @returns {Promise<Record<string, { perSecond: number, cpuMicros: number, serverMicros: number }>>} medians of the
 *   rounds; the CPU of a call in this process, and in the server (0 without one)
 */
export async function measureSideBySide(sides, { inFlight, seconds = 2, rounds = 3, servers = {} }) {
  const names = Object.keys(sides);
  for (const name of names) await runWarm(sides[name], inFlight);
  const all = Object.fromEntries(names.map((name) => [name, []]));
  const serverSeconds = (name) => (servers[name] === undefined ? 0 : cpuSeconds(servers[name]));
  for (let round = 0; round < rounds; round++) {
    const totals = Object.fromEntries(names.map((name) => [name, { done: 0, elapsed: 0, cpu: 0 }]));
    // What a server does after a slice belongs to it too.
    const before = Object.fromEntries(names.map((name) => [name, serverSeconds(name)]));
    for (let spent = 0, turn = round; spent < seconds; spent += slice, turn++) {
      // In both orders: always being first costs 2 to 4 %, as a comparison of a checkout with itself shows.
      const order = turn % 2 === 0 ? names : names.toReversed();
      for (const name of order) add(totals[name], await runFor(sides[name], inFlight, slice));
    }
    for (const name of names) {
      const { done, elapsed, cpu } = totals[name];
      const serverMicros = ((serverSeconds(name) - before[name]) * 1e6) / done;
      all[name].push({ perSecond: done / elapsed, cpuMicros: cpu / done, serverMicros });
    }
  }
  return Object.fromEntries(names.map((name) => [name, medianOf(all[name])]));
}

async function runWarm(side, inFlight) {
  const total = { done: 0, elapsed: 0, cpu: 0 };
  while (
    total.elapsed < warmUp.seconds ||
    (total.done < warmUp.calls && total.cpu < warmUp.atMostCpuSeconds * 1e6)
  ) {
    add(total, await runFor(side, inFlight, slice));
  }
}

/** @returns {Promise<Slice>} */
export async function runFor(work, inFlight, seconds) {
  if (typeof work !== "function") return work.runFor(inFlight, seconds);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  let done = 0;
  const lane = async (_unused, at) => {
    while (performance.now() < end) {
      await work(at);
      done++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const cpu = process.cpuUsage(cpuBefore);
  return { done, elapsed: (performance.now() - startedAt) / 1000, cpu: cpu.user + cpu.system };
}

function add(total, { done, elapsed, cpu }) {
  total.done += done;
  total.elapsed += elapsed;
  total.cpu += cpu;
}

function medianOf(figures) {
  const middle = (name) =>
    figures.map((each) => each[name]).toSorted((a, b) => a - b)[Math.floor(figures.length / 2)];
  return {
    perSecond: middle("perSecond"),
    cpuMicros: middle("cpuMicros"),
    serverMicros: middle("serverMicros"),
  };
}
