import { measureSideBySide } from "../../lib/measure-side-by-side.mjs";
import { printTable, times, whole } from "../../lib/print-table.mjs";
import { atLeast } from "../../lib/targets.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 0.7);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
/** BENCH_WORKS="replay" restricts a run to the works whose names contain this. */
const wanted = process.env.BENCH_WORKS ?? "";

/**
 * Measures every work on all sides in turn, and prints a row for each: the rates, the ratio of the second side to the
 * first by rate, with its target, and by the CPU of client and server together.
 *
 * @param {Record<string, { works: object, pid?: number }>} sides `pid` is that of a server which only this side uses
 */
export async function compareSides(title, sides, targetOf) {
  const names = Object.keys(sides);
  const [base, ours] = names;
  const rows = [
    [
      "work",
      ...names.map((name) => `${name}/s`),
      `${ours} ÷ ${base}`,
      "target",
      "by CPU",
      ...names.map((name) => `${name} µs CPU`),
    ],
  ];
  for (const [work, { inFlight }] of Object.entries(sides[ours].works)) {
    if (!work.includes(wanted)) continue;
    for (const { works } of Object.values(sides)) await works[work].prepare?.();
    const each = (value) => Object.fromEntries(names.map((name) => [name, value(sides[name])]));
    const figures = await measureSideBySide(
      each(({ works }) => works[work].run),
      { inFlight, seconds, rounds, servers: each(({ pid }) => pid) },
    );
    const cpu = (name) => figures[name].cpuMicros + figures[name].serverMicros;
    const ratio = figures[ours].perSecond / figures[base].perSecond;
    rows.push([
      work,
      ...names.map((name) => whole(figures[name].perSecond)),
      times(ratio),
      atLeast(`${title}, ${work}`, ratio, targetOf(work)),
      times(cpu(base) / cpu(ours)),
      ...names.map((name) => cpuCell(figures[name])),
    ]);
  }
  console.log(
    `\n${title}: calls a second, sides in turn, medians of ${rounds}; CPU of a call in client + server`,
  );
  printTable(rows);
}

function cpuCell({ cpuMicros, serverMicros }) {
  return serverMicros === 0 ? whole(cpuMicros) : `${whole(cpuMicros)} + ${whole(serverMicros)}`;
}
