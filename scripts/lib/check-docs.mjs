/** Type-checks the TypeScript in the docs: what a reader copies must compile against the packages as they are. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { checkoutFiles } from "./checkout-files.mjs";
import { rootFolder, runCommand } from "./run-command.mjs";

/**
 * The TypeScript blocks of a page: the number of each line, from 0, and its text.
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
 * The modules of a page. A block that imports something starts a module, one that does not goes on with the one before.
 * Each line keeps its number, so that an error names the line of the page.
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
 * A page whose examples need something around them names files that are compiled with the tests, each in a comment:
 * `<!-- code: packages/… -->`. Then each block must stand in one of them word for word; indentation does not count.
 * @param {{ path: string, source: string }} page
 * @param {readonly { path: string, source: string }[]} files
 * @returns {string[] | undefined} what is wrong; undefined for a page that names no file
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

/** The line that tells readers that a block is not a whole program; the files do not have it. */
const continuation = "// Continues the block above.";

function flat(text) {
  return text.replace(/\s+/g, " ").trim();
}

/**
 * What the compiler says of the TypeScript in these pages; "" where it has nothing to say.
 * @param {readonly { path: string, source: string }[]} pages
 * @returns {Promise<string>}
 */
export async function docsProblems(pages) {
  // Inside node_modules, so that imports are found as they are from the checkout, and git does not see it.
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
 * The compiler's words, with the pages instead of the files that stand for them. What it says of the packages is left
 * out: other checks say it.
 */
function named(output, folder, sources) {
  let text = output.replaceAll(`${folder}/`, "");
  for (const [name, path] of sources) text = text.replaceAll(name, path);
  const messages = text.split(/\n(?=\S)/);
  return messages.filter((message) => !message.startsWith("packages/")).join("\n");
}

/** The pages whose code is checked: the reference, and every README. */
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
