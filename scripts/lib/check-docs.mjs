/** Type-checks the TypeScript in the docs against the packages. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { checkoutFiles } from "./checkout-files.mjs";
import { rootFolder, runCommand } from "./run-command.mjs";

/**
 * Returns the TypeScript blocks of a page, each as its lines with their numbers, from 0.
 * @param {string} page
 * @returns {[number: number, text: string][][]}
 */
function blocksOf(page) {
  const blocks = [];
  let open;
  page.split("\n").forEach((line, index) => {
    const fence = /^\s*```(\S*)/.exec(line);
    if (open === undefined) {
      if (fence !== null) open = { typescript: fence[1] === "ts", lines: [] };
    } else if (fence === null) {
      open.lines.push([index, line]);
    } else {
      if (open.typescript) blocks.push(open.lines);
      open = undefined;
    }
  });
  return blocks;
}

/**
 * Returns the modules of a page. A block with imports starts a module; other blocks continue the one before. Lines keep
 * their numbers, so that errors point at the page.
 * @param {string} page
 * @returns {string[]}
 */
export function modulesOf(page) {
  const modules = [];
  for (const block of blocksOf(page)) {
    const starts = modules.length === 0 || block.some(([, text]) => /^\s*import\s/.test(text));
    if (starts) modules.push(page.split("\n").map(() => ""));
    for (const [at, text] of block) modules.at(-1)[at] = text;
  }
  return modules.map((module) => `${module.join("\n")}\nexport {};\n`);
}

/**
 * A page whose examples need surrounding code names compiled files in comments: `<!-- code: packages/… -->`. Each block of
 * such a page must occur in one of these files; whitespace does not count.
 * @param {{ path: string, source: string }} page
 * @param {readonly { path: string, source: string }[]} files
 * @returns {string[] | undefined} the problems; undefined for a page that names no file
 */
export function quoteProblems(page, files) {
  const named = [...page.source.matchAll(/^<!-- code: (\S+) -->$/gm)].map(([, path]) => path);
  if (named.length === 0) return undefined;
  const quoted = files.filter((each) => named.includes(each.path));
  const missing = named.filter((path) => quoted.every((each) => each.path !== path));
  if (missing.length > 0) return missing.map((path) => `${page.path}: there is no ${path}`);
  const compiled = quoted.map(({ source }) => flat(source));
  return blocksOf(page.source)
    .filter((block) => {
      const lines = block.map(([, line]) => line).filter((line) => line !== continuation);
      const text = flat(lines.join("\n"));
      return !compiled.some((source) => source.includes(text));
    })
    .map(([[first]]) => `${page.path}(${first + 1}): this block is not in ${named.join(" or ")}`);
}

/** Marks a block that is not a whole program; the compiled files do not contain this line. */
const continuation = "// Continues the block above.";

function flat(text) {
  return text.replace(/\s+/g, " ").trim();
}

/**
 * Returns the compiler's errors for the TypeScript in these pages, or "".
 * @param {readonly { path: string, source: string }[]} pages
 * @returns {Promise<string>}
 */
export async function docsProblems(pages) {
  // Inside node_modules, where imports resolve as in the checkout and git ignores it.
  const cache = join(rootFolder, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "check-docs-"));
  try {
    const sources = new Map();
    for (const { path, source } of pages) {
      modulesOf(source).forEach((text, index) => {
        const name = `${path.replaceAll("/", "__")}.${index}.mts`;
        sources.set(name, path);
        writeFileSync(join(folder, name), text);
      });
    }
    if (sources.size === 0) return "";
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings([...sources.keys()])));
    const tsc = join(rootFolder, "node_modules", ".bin", "tsc");
    const { code, output } = await runCommand(tsc, ["-p", folder, "--pretty", "false"]);
    return code === 0 ? "" : named(output, relative(rootFolder, folder), sources);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function settings(files) {
  return {
    extends: join(rootFolder, "tsconfig.test.json"),
    compilerOptions: { allowJs: false },
    include: [],
    files,
  };
}

/**
 * Returns the compiler's output with page names instead of file names, without errors in the packages themselves: other
 * checks report those.
 */
function named(output, folder, sources) {
  let text = output.replaceAll(`${folder}/`, "");
  for (const [name, path] of sources) text = text.replaceAll(name, path);
  const messages = text.split(/\n(?=\S)/);
  return messages.filter((message) => !message.startsWith("packages/")).join("\n");
}

/** Checks all docs and every README. */
function isChecked({ path }) {
  return /^docs\/.*\.md$/.test(path) || /(^|\/)README\.md$/.test(path);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const files = await checkoutFiles();
  const compiled = [];
  const problems = [];
  for (const page of files.filter(isChecked)) {
    const quoted = quoteProblems(page, files);
    if (quoted === undefined) compiled.push(page);
    else problems.push(...quoted);
  }
  problems.push(await docsProblems(compiled));
  const text = problems.filter((problem) => problem !== "").join("\n");
  if (text !== "") console.error(text);
  process.exitCode = text === "" ? 0 : 1;
}
