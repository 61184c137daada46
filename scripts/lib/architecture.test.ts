import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { expect, test } from "vitest";
import { boundaries, importsOf } from "./package-boundaries.mjs";
import { rootFolder } from "./run-command.mjs";

const page = (name: string) => readFileSync(join(rootFolder, name), "utf8");

test.each(["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"])("every file that %s names exists", (name) => {
  const named = [...page(name).matchAll(/(?<=[`(])(?:packages|scripts|docs|bench)\/[\w./-]+/g)].map(
    ([path]) => path,
  );
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((path) => !existsSync(join(rootFolder, path)))).toEqual([]);
});

test("the table of packages is the one that is checked", () => {
  const rows = [...page("ARCHITECTURE.md").matchAll(/^\| `([\w-]+)` \| [^|]+ \| ([\w, -]+) \|$/gm)];
  const documented = Object.fromEntries(
    rows.map(([, name, imports]) => [name, imports === "nothing" ? [] : imports?.split(", ")]),
  );
  expect(documented).toEqual(
    Object.fromEntries(Object.entries(boundaries).map(([name, { imports }]) => [name, imports])),
  );
});

/** The numbered steps of the sections that follow one operation through the code. */
const walks = page("ARCHITECTURE.md")
  .split(/^## /m)
  .filter((section) => section.startsWith("Follow one "))
  .map((section) => ({
    title: section.split("\n")[0] ?? "",
    hops: [...section.matchAll(/^\d+\. (.*)$/gm)].map(([, hop = ""]) => hop),
  }));

test("there are walks for a write, a mail, a shadow update and an event", () => {
  expect(walks.map(({ title }) => title)).toEqual([
    "Follow one write",
    "Follow one mail",
    "Follow one shadow update",
    "Follow one event into a projection",
  ]);
});

/** Whether a file defines a function, a method, a class or a constant with this name, not only uses it. */
function defines(source: string, name: string): boolean {
  const words = "(?:export |static |async |function\\*? |class |const |readonly |\\*)*";
  return new RegExp(`^\\s*${words}${name}(?:<.*>)?(?:\\(|:| =| \\{| extends| implements)`, "m").test(source);
}

test.each(walks)("$title has at most twelve hops, each with a file and a function in it", ({ hops }) => {
  expect(hops.length).toBeGreaterThan(4);
  expect(hops.length).toBeLessThanOrEqual(12);
  for (const hop of hops) {
    const [, path = ""] = /^`([\w./-]+)`, `#?[\w.]+`: /.exec(hop) ?? [];
    expect(existsSync(join(rootFolder, path)), hop).toBe(true);
  }
});

test("every function that is named after a file is defined in it", () => {
  const named = [...page("ARCHITECTURE.md").matchAll(/`(packages\/[\w./-]+\.tsx?)`,? `(#?[\w.]+)`/g)];
  expect(named.length).toBeGreaterThan(60);
  const missing = named.filter(
    ([, path = "", name = ""]) => !name.split(".").every((part) => defines(page(path), part)),
  );
  expect(missing.map(([text]) => text)).toEqual([]);
});

/** The diagrams of folders: blocks that begin with the path of a package's source. Entries of one line are equals. */
const diagrams = [...page("ARCHITECTURE.md").matchAll(/^(packages\/[\w-]+\/src)\n((?: +\S.*\n)+)/gm)].map(
  ([, root = "", lines = ""]) => ({
    root,
    entries: lines.split("\n").flatMap((line, level) => {
      const names = /^ +([\w./{},-]+(?:\/|\.ts)(?: {2}[\w./{},-]+(?:\/|\.ts))*)(?= |$)/.exec(line)?.[1] ?? "";
      return names
        .split("  ")
        .filter(Boolean)
        .flatMap(expandBraces)
        .map((name) => ({ path: `${root}/${name}`, level }));
    }),
  }),
);

function expandBraces(name: string): string[] {
  const [, before = "", inner = "", after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return inner === "" ? [name] : inner.split(",").map((each) => before + each + after);
}

function sourcesIn(folder: string): string[] {
  const files = readdirSync(join(rootFolder, folder), { recursive: true, encoding: "utf8" });
  return files
    .map((file) => `${folder}/${file.split(sep).join("/")}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test(-d)?\.tsx?$|\/testing\//.test(file));
}

test("every package with folders that import each other has a diagram", () => {
  const roots = ["core", "client", "engine", "journal", "feed", "entity", "mail", "shadow", "tablekeep"];
  expect(diagrams.map(({ root }) => root)).toEqual(
    expect.arrayContaining(roots.map((name) => `packages/${name}/src`)),
  );
});

test.each(diagrams)(
  "the diagram of $root lists its folders, and imports run down it",
  ({ root, entries }) => {
    const sources = sourcesIn(root);
    const parents = new Set(entries.map(({ path }) => dirname(path)));
    const folders = new Set(
      sources.map(dirname).flatMap((folder) => (parents.has(dirname(folder)) ? [`${folder}/`] : [])),
    );
    const listed = entries.map(({ path }) => path);
    expect(listed.filter((path) => !existsSync(join(rootFolder, path)))).toEqual([]);
    const isListed = (folder: string) => listed.some((path) => path.startsWith(folder));
    expect([...folders].filter((folder) => !isListed(folder))).toEqual([]);

    const entryOf = (file: string) =>
      entries
        .filter(({ path }) => file === path || (path.endsWith("/") && file.startsWith(path)))
        .toSorted((one, other) => other.path.length - one.path.length)[0];
    const upwards = sources.flatMap((file) => {
      const from = entryOf(file);
      return importsOf(page(file))
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => posix.join(posix.dirname(file), specifier))
        .filter((to) => from !== undefined && from.level > (entryOf(to)?.level ?? Number.POSITIVE_INFINITY))
        .map((to) => `${file} imports ${to}`);
    });
    expect(upwards).toEqual([]);
  },
);
