import { transformSync } from "esbuild";

/** A code block of a page that shows a program or commands. */
export interface Block {
  /** The nearest heading above it. */
  readonly heading: string;
  readonly language: string;
  readonly code: string;
}

/** The first line of a block that goes on with the program of the block above. */
const continues = "// Continues the block above.\n";

/** Returns the blocks of a page that a reader can run, in order. */
export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let heading = "";
  for (const [, title, language = "", code = ""] of markdown.matchAll(
    /^#+ ([^\n]+)$|^ *```(\S*)[^\n]*\n(.*?)^ *```$/gms,
  )) {
    if (title !== undefined) heading = title;
    else if (/^(?:ts|js|mjs|sh)$/.test(language)) blocks.push({ heading, language, code });
  }
  return blocks;
}

export function isContinuation({ code }: Block): boolean {
  return code.startsWith(continues);
}

/** Joins the program that starts in the block at this index with the blocks that continue it. */
export function programAt(blocks: readonly Block[], index: number): string {
  const rest = blocks.slice(index + 1).filter(({ language }) => language !== "sh");
  const next = rest.findIndex((block) => !isContinuation(block));
  const parts = [blocks[index], ...rest.slice(0, next === -1 ? rest.length : next)];
  return parts.map((block) => block?.code ?? "").join("\n");
}

/** Returns the program as Node runs it: JavaScript as printed, TypeScript through esbuild. */
export function moduleOf(program: string): string {
  return isJavaScript(program)
    ? program
    : transformSync(program, { loader: "ts", format: "esm", target: "node20" }).code;
}

function isJavaScript(program: string): boolean {
  try {
    transformSync(program, { loader: "js", logLevel: "silent" });
    return true;
  } catch {
    return false;
  }
}

/** Returns the commands of a shell block; a command that continues after a backslash is one. */
export function commandsOf({ code }: Block): readonly string[] {
  return code
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line !== "");
}

/** Returns the packages of other projects that the blocks import. */
export function importsOf(blocks: readonly Block[]): readonly string[] {
  const specifiers = blocks.flatMap(({ code }) => [
    ...code.matchAll(/^(?:import|\} from)\b[^\n]*"([^".][^"]*)";$/gm),
  ]);
  const names = specifiers.map(([, path = ""]) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  return [...new Set(names)].filter((name) => !/^(?:node:|@tablekeep$|@tablekeep\/|tablekeep$)/.test(name));
}
