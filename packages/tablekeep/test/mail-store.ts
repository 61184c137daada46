import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runMain } from "./run-main.ts";
import { tempFolder } from "./temp-folder.ts";

/** Writes files into a folder, with the folders on their paths. */
export function fillFolder(folder: string, files: Readonly<Record<string, string | Buffer>>): string {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}

/** The documents that a command printed with `--json`. */
export const jsonLines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** An empty store of mail in a folder, and the commands that import into it and list it. */
export function mailStore() {
  const data = tempFolder();
  const run = (verb: string, ...rest: string[]) => runMain(["mail", verb, ...rest, "--data", data, "--json"]);
  const list = async () => jsonLines((await run("list", "--limit", "1000")).stdout);
  return {
    data,
    run,
    list,
    import: (...paths: string[]) => run("import", ...paths, "--create"),
    subjects: async () => (await list()).map(({ subject }) => subject).sort(),
  };
}
