/**
 * This checkout against another built one, in turn in one run: `npm run bench -- against ../parent`. Every ratio is this
 * one's rate divided by the other's, and must be at least 0.95. Each side runs its own packages in its own process (`side.mjs`):
 * two engines in one process share its compiler and its garbage collector, which favors neither reliably. Engine in process and over
 * HTTP, journal, shadows, accepted mail. BENCH_SECONDS, BENCH_ROUNDS and BENCH_SHAPES apply; BENCH_PARTS=mail,shadows restricts a run,
 * and BENCH_WORK="append, 64 ids" repeats one row. BENCH_PARTS=entities compares cold loads, each side in its own default layout.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { measureSideBySide } from "../lib/measure-side-by-side.mjs";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { shapes } from "../lib/shapes.mjs";
import { atLeast, finish } from "../lib/targets.mjs";

const target = 0.95;
/** Cold loads with a snapshot are compared with the first version, whose layout took several requests. */
const coldLoadTarget = (work) => (work.includes("with a snapshot") ? 3 : undefined);
const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const [other] = process.argv.slice(2);
if (other === undefined || !existsSync(join(other, "packages/engine/dist/index.js"))) {
  console.error("usage: npm run bench -- against PATH, where PATH is another checkout that has been built");
  process.exit(2);
}
const roots = { this: fileURLToPath(new URL("../../", import.meta.url)), other: resolve(other) };
const parts = process.env.BENCH_PARTS?.split(",") ?? ["engine", "journal", "shadows", "mail"];
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));

if (parts.includes("entities")) {
  await compare("Entities in process", ["entities", "in-process"], coldLoadTarget);
  await compare("Entities over HTTP", ["entities", "http"], coldLoadTarget);
}
for (const { title, name } of shapes) {
  for (const part of ["engine", "journal"].filter((each) => parts.includes(each))) {
    await compare(`${part === "engine" ? "Engine" : "Journal"} in process, ${title}`, [
      part,
      "in-process",
      name,
    ]);
    await compare(`${part === "engine" ? "Engine" : "Journal"} over HTTP, ${title}`, [part, "http", name]);
  }
}
if (parts.includes("shadows")) await compare("Shadows in process", ["shadows"]);
if (parts.includes("mail")) await compare("Mail", ["mail"]);
rmSync(folder, { recursive: true, force: true });
finish();

/**
 * Measures both checkouts in turn. Each round has its own processes: how the compiler happens to lay out one process makes up
 * to 10 % of difference between two runs of the same code.
 */
async function compare(title, works, targetOf = () => target) {
  const figures = new Map();
  for (let round = 0; round < rounds; round++) {
    const sides = {};
    for (const [name, root] of Object.entries(roots))
      sides[name] = await startSide(
        root,
        join(folder, `${title} ${name} ${round}`.replaceAll(/\W+/g, "-")),
        works,
      );
    for (const [work, inFlight] of Object.entries(sides.this.works)) {
      if (process.env.BENCH_WORK !== undefined && work !== process.env.BENCH_WORK) continue;
      for (const side of Object.values(sides)) await side.ask({ prepare: work });
      const runs = Object.fromEntries(
        Object.entries(sides).map(([name, side]) => [
          name,
          { runFor: (lanes, time) => side.ask({ run: work, inFlight: lanes, seconds: time }) },
        ]),
      );
      const { this: ours, other: theirs } = await measureSideBySide(runs, { inFlight, seconds, rounds: 1 });
      const measured = {
        other: theirs.perSecond,
        this: ours.perSecond,
        ratio: ours.perSecond / theirs.perSecond,
      };
      figures.set(work, [...(figures.get(work) ?? []), measured]);
    }
    for (const side of Object.values(sides)) await side.stop();
  }
  const rows = [["work", "other/s", "this/s", "this ÷ other", "lowest", "highest", "target"]];
  for (const [work, all] of figures) {
    const sorted = (name) => all.map((each) => each[name]).toSorted((a, b) => a - b);
    const median = (name) => sorted(name)[all.length >> 1];
    rows.push([
      work,
      whole(median("other")),
      whole(median("this")),
      times(median("ratio")),
      times(sorted("ratio")[0]),
      times(sorted("ratio").at(-1)),
      atLeast(`${title}, ${work}`, median("ratio"), targetOf(work)),
    ]);
  }
  console.log(`\n${title}: calls a second, sides in turn, medians of ${rounds} pairs of processes`);
  printTable(rows);
}

/** Starts the process of one checkout. Its first message names its works and how many calls of each are in flight. */
async function startSide(root, path, works) {
  const program = fileURLToPath(new URL("./side.mjs", import.meta.url));
  const child = fork(program, [root, path, ...works]);
  const ended = once(child, "exit");
  const failure = ended.then(() => Promise.reject(new Error(`the process of ${root} ended`)));
  failure.catch(() => undefined);
  const answer = async () => (await Promise.race([once(child, "message"), failure]))[0];
  return {
    works: await answer(),
    ask(question) {
      child.send(question);
      return answer();
    },
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}
