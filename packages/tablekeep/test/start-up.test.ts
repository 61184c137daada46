import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const packages = fileURLToPath(new URL("../..", import.meta.url));

/** The path of a module of this project; other modules keep the name they are imported by. */
function fileOf(specifier: string, importer: string): string {
  if (specifier.startsWith(".")) return resolve(dirname(importer), specifier);
  const own = join(packages, specifier.replace("@tablekeep/", ""), "src/index.ts");
  return specifier.startsWith("@tablekeep/") && existsSync(own) ? own : specifier;
}

/** All that is loaded before the first line of these files runs. Types are not loaded, `import()` is not followed. */
function loadedWith(...entries: readonly string[]): string[] {
  const loaded = new Set(entries.map((entry) => join(packages, entry)));
  for (const file of loaded) {
    if (!file.endsWith(".ts")) continue;
    const source = readFileSync(file, "utf8");
    for (const [, specifier = ""] of source.matchAll(
      /^(?:import|export) (?!type )(?:[^;"]*? from )?"([^"]+)";$/gm,
    )) {
      loaded.add(fileOf(specifier, file));
    }
  }
  return [...loaded].filter((each) => !each.startsWith("node:"));
}

/** The packages that these modules belong to, own and third-party. */
function ownersOf(modules: readonly string[]): string[] {
  const owners = modules.map((each) =>
    each.startsWith(packages) ? `@tablekeep/${each.slice(packages.length).split("/")[0]}` : each,
  );
  return [...new Set(owners)].toSorted();
}

// What is loaded decides how fast the program starts; how fast it is depends on the machine.
test("`tablekeep dynamodb` loads the engine, the server's endpoint and nothing else", () => {
  const modules = loadedWith(
    "tablekeep/src/cli/main.ts",
    "tablekeep/src/cli/commands/dynamodb.ts",
    "tablekeep/src/server/dynamodb/start-dynamodb.ts",
  );
  expect(ownersOf(modules)).toEqual([
    "@tablekeep/core",
    "@tablekeep/engine",
    "@tablekeep/tablekeep",
    "commander",
  ]);
  const ofTheProgram = modules.filter((each) => each.startsWith(join(packages, "tablekeep")));
  expect(ofTheProgram.length).toBeLessThan(75);
});

test("loads no command before the command line is parsed", () => {
  const modules = loadedWith("tablekeep/src/cli/main.ts");
  expect(ownersOf(modules)).toEqual(["@tablekeep/core", "@tablekeep/tablekeep", "commander"]);
  const commands = join(packages, "tablekeep/src/cli/commands");
  expect(modules.filter((each) => each.startsWith(commands))).toEqual([]);
});

test("only one file of the program uses its own path, because the bundled program has another one", () => {
  const bundled = ["core", "client", "engine", "journal", "entity", "feed", "mail", "shadow", "tablekeep"];
  const asking = bundled.flatMap((name) => {
    const files = readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" });
    return files
      .filter((file) => file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file))
      .filter((file) => readFileSync(join(packages, name, "src", file), "utf8").includes("import.meta"))
      .map((file) => `${name}/${file}`);
  });
  // The others resolve a package, which both locations can resolve.
  const resolving = ["mail/decode/open-decoder.ts", "mail/lint/open-linter.ts"];
  expect(asking).toEqual([...resolving, "tablekeep/package/package-info.ts"]);
});
