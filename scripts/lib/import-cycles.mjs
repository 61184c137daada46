/**
 * Finds import cycles. Among the entries of any one folder, files and subfolders alike, imports must run in one
 * direction: a folder counts as everything inside it. This covers cycles between files and between folders, and type
 * imports count like any other.
 */
import { posix } from "node:path";
import { importsOf } from "./package-boundaries.mjs";

/** @typedef {{ path: string, source: string }} SourceFile a file by its path from the root of the checkout */
/** @typedef {{ from: string, to: string }} ImportedFile both as paths from the root of the checkout */

/**
 * Returns one line per cycle: the folder, its entries in the cycle, and one import for each step.
 * @param {readonly SourceFile[]} files
 * @returns {string[]}
 */
export function importCycles(files) {
  /** @type {Map<string, Map<string, Map<string, ImportedFile>>>} folder → entry → imported entry → example */
  const folders = new Map();
  for (const edge of relativeImports(files)) {
    const step = siblingsOf(edge);
    if (step === undefined) continue;
    const entries = inMap(folders, step.folder);
    const imported = inMap(entries, step.from);
    inMap(entries, step.to);
    if (!imported.has(step.to)) imported.set(step.to, edge);
  }
  return [...folders].flatMap(([folder, entries]) =>
    cyclesIn(entries).map((cycle) => describe(folder, cycle, entries)),
  );
}

/** @returns {ImportedFile[]} */
function relativeImports(files) {
  return files
    .filter(({ path }) => /^packages\/[^/]+\/(src|console)\//.test(path) && !/\.test(-d)?\.tsx?$/.test(path))
    .flatMap(({ path, source }) =>
      importsOf(source)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => ({ from: path, to: posix.join(posix.dirname(path), specifier) })),
    );
}

/** The deepest common folder of both files, and the entry of that folder that each is, or is in. */
function siblingsOf({ from, to }) {
  const [one, other] = [from.split("/"), to.split("/")];
  let depth = 0;
  while (one[depth] === other[depth] && depth < one.length) depth += 1;
  if (depth === one.length) return undefined;
  return { folder: one.slice(0, depth).join("/"), from: one[depth], to: other[depth] };
}

/**
 * The strongly connected components of more than one entry, by Tarjan's algorithm.
 * @param {Map<string, Map<string, ImportedFile>>} entries
 * @returns {string[][]}
 */
function cyclesIn(entries) {
  const found = [];
  const stack = [];
  /** @type {Map<string, { index: number, low: number, onStack: boolean }>} */
  const visits = new Map();
  const visit = (entry) => {
    const own = { index: visits.size, low: visits.size, onStack: true };
    visits.set(entry, own);
    stack.push(entry);
    for (const next of entries.get(entry)?.keys() ?? []) {
      const seen = visits.get(next);
      if (seen === undefined) own.low = Math.min(own.low, visit(next).low);
      else if (seen.onStack) own.low = Math.min(own.low, seen.index);
    }
    if (own.low === own.index) {
      const component = stack.splice(stack.indexOf(entry));
      for (const each of component) visits.get(each).onStack = false;
      if (component.length > 1) found.push(component);
    }
    return own;
  };
  for (const entry of entries.keys()) if (!visits.has(entry)) visit(entry);
  return found;
}

function describe(folder, cycle, entries) {
  const inside = new Set(cycle);
  const examples = cycle.flatMap((entry) =>
    [...(entries.get(entry) ?? [])]
      .filter(([to]) => inside.has(to))
      .map(([, { from, to }]) => `  ${from} imports ${to}`),
  );
  return [`${folder}: import cycle between ${cycle.toSorted().join(", ")}`, ...examples].join("\n");
}

function inMap(map, key) {
  let value = map.get(key);
  if (value === undefined) {
    value = new Map();
    map.set(key, value);
  }
  return value;
}
