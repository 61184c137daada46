/** Our packages as others get them: packed, installed into an empty project and used there. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { ensureTable, httpPort } from "@tablekeep/client";
import { journalTableSpec } from "@tablekeep/journal";
import { publint } from "publint";
import { startDynamoDb } from "tablekeep";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { machineTraces } from "../lib/machine-traces.mjs";
import { rootFolder } from "../lib/run-command.mjs";
import { bundleHandler } from "./bundle-handler.ts";
import { filesOf, neededPackages, sizeOf } from "./needed-packages.ts";
import { installAll, type PackedPackage, packAll, publishedFolders, run } from "./pack-and-install.ts";
import { serveInstalled } from "./serve-installed.ts";
import { wrongTypes } from "./wrong-types.ts";

const folder = mkdtempSync(join(tmpdir(), "tablekeep-packages-"));
const project = join(folder, "project");
const typescript = join(rootFolder, "node_modules", "typescript", "bin", "tsc");
const names = publishedFolders.map((each) => (each === "tablekeep" ? each : `@tablekeep/${each}`));
let packed: readonly PackedPackage[] = [];
const packageOf = (name: string) => {
  const found = packed.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found;
};
const needsOf = ({ manifest }: PackedPackage) => Object.keys(manifest.dependencies ?? {});
/** Every path that can be imported: `@tablekeep/journal/testing`. */
const entries = () =>
  packed.flatMap(({ name, manifest }) => Object.keys(manifest.exports).map((path) => join(name, path)));

beforeAll(async () => {
  await run(process.execPath, [join("scripts", "build.mjs")], rootFolder);
  packed = await packAll(join(folder, "tarballs"));
  await installAll(project, packed);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(names)("%s", (name) => {
  test("holds what was built and what one must have read, and nothing else", () => {
    const { files } = packageOf(name);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "NOTICE", "README.md", "package.json"]));
    const allowed =
      /^(?:LICENSE|NOTICE|README\.md|package\.json|bin\/[\w-]+\.js|assets\/.+|dist\/console\/.+|dist\/docs\/site\.json\.br|dist\/.+\.(?:js|d\.ts))$/;
    expect(
      files.filter((path) => !allowed.test(path) || /\.test(?:-d)?\.|\.tsbuildinfo$|\.map$/.test(path)),
    ).toEqual([]);
  });

  test("has the license and the notice of the project", () => {
    for (const file of ["LICENSE", "NOTICE"]) {
      const installed = readFileSync(join(project, "node_modules", name, file), "utf8");
      expect(installed, file).toBe(readFileSync(join(rootFolder, file), "utf8"));
    }
  });

  test("reveals nothing about the machine that built it", () => {
    const text = new Set([".js", ".ts", ".tsx", ".json", ".md", ".css", ".html"]);
    const own = filesOf(join(project, "node_modules", name)).filter((path) => text.has(extname(path)));
    expect(own.length).toBeGreaterThan(10);
    expect(own.flatMap((path) => machineTraces({ path, source: readFileSync(path, "utf8") }))).toEqual([]);
  });

  test("names no more than seven packages of others by itself, each in one version, and no place or person", () => {
    const { manifest } = packageOf(name);
    const needs = Object.entries(manifest.dependencies ?? {});
    const others = packed.filter((each) => each.name !== name).flatMap((each) => needsOf(each));
    const itself = needs.filter(([each]) => !names.includes(each) && !others.includes(each));
    expect(itself.length).toBeLessThanOrEqual(7);
    expect(needs.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    for (const field of ["author", "bugs", "contributors", "homepage", "private", "repository", "scripts"])
      expect(manifest[field], field).toBeUndefined();
  });

  test("publint has nothing to say", async () => {
    const { buffer, byteOffset, byteLength } = readFileSync(packageOf(name).tarball);
    const tarball = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([]);
  });

  test("its types are found by Node's rules and by those of bundlers", async () => {
    expect(await wrongTypes(packageOf(name).tarball)).toEqual([]);
  });
});

/** What the lines print, which must be nothing else: a warning of Node's would be on stderr. */
async function printed(file: string, lines: readonly string[]): Promise<unknown> {
  const path = join(project, file);
  writeFileSync(path, lines.join("\n"));
  const strict = ["--throw-deprecation", "--trace-warnings", "--unhandled-rejections=strict"];
  const both = `"${process.execPath}" ${strict.join(" ")} "${path}" 2>&1`;
  return JSON.parse(await run("sh", ["-c", both], project));
}

test("import and require give the same of every package, silently", async () => {
  const paths = entries();
  const imported = await printed("all.mjs", [
    "const found = {};",
    ...paths.map((path) => `found["${path}"] = Object.keys(await import("${path}")).sort();`),
    "console.log(JSON.stringify(found));",
  ]);
  const required = await printed("all.cjs", [
    "const found = {};",
    ...paths.map((path) => `found["${path}"] = Object.keys(require("${path}")).sort();`),
    "console.log(JSON.stringify(found));",
  ]);
  expect(Object.keys(imported as object)).toEqual(paths);
  for (const [path, exported] of Object.entries(imported as Record<string, string[]>))
    expect(exported.length, path).toBeGreaterThan(0);
  expect(required).toEqual(imported);
});

test.each([
  { module: "node16", moduleResolution: "node16" },
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
])("a program in TypeScript compiles with moduleResolution $moduleResolution", async (settings) => {
  const at = join(project, settings.moduleResolution);
  mkdirSync(at);
  const imports = entries().map((path, index) => `export * as entry${index} from "${path}";`);
  const use = readFileSync(new URL("fixtures/typed-use.txt", import.meta.url), "utf8");
  writeFileSync(join(at, "all.ts"), `${imports.join("\n")}\n`);
  writeFileSync(join(at, "use.ts"), use);
  // Our types are checked, too, with Node's, and without those of the optional packages, which are not installed here.
  const types = {
    types: ["node"],
    typeRoots: [join(rootFolder, "node_modules", "@types")],
    skipLibCheck: false,
  };
  const compilerOptions = { ...settings, ...types, target: "es2022", strict: true, noEmit: true };
  writeFileSync(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["all.ts", "use.ts"] }));
  expect(await run(process.execPath, [typescript, "-p", at], at)).toBe("");
});

test("the installed program runs, and serves its page with all that the page loads", async () => {
  const bin = join(project, "node_modules", ".bin", "tablekeep");
  expect((await run(bin, ["--version"], project)).trim()).toBe(packageOf("tablekeep").manifest["version"]);
  await using served = await serveInstalled(bin, project);
  const page = await (await fetch(served.url)).text();
  const loaded = [...page.matchAll(/<(?:script|link)[^>]+(?:src|href)="(?!data:)([^"]+)"/g)];
  expect(loaded.length).toBeGreaterThan(0);
  for (const [, path = ""] of loaded) expect((await fetch(new URL(path, served.url))).status, path).toBe(200);
});

describe.each(["cjs", "esm"] as const)(
  "a handler bundled as %s by docs/how-to/bundling-and-lambda.md",
  (format) => {
    test("has no warning, and runs from one file where nothing is installed", async () => {
      const { text, warnings } = await bundleHandler(project, format);
      expect(warnings).toEqual([]);
      const alone = join(folder, `lambda-${format}`);
      mkdirSync(alone);
      const bundle = `handler.${format === "cjs" ? "cjs" : "mjs"}`;
      writeFileSync(join(alone, bundle), text);
      await using dynamodb = await startDynamoDb({ port: 0 });
      const call = [
        `import { handler } from "./${bundle}";`,
        `const answers = [await handler({ id: "cart-1", item: "apple" }), await handler({ id: "cart-1", item: "pear" })];`,
        "console.log(JSON.stringify(answers));",
        // A Lambda instance keeps its connections; this process is to end.
        "process.exit(0);",
      ];
      writeFileSync(join(alone, "call.mjs"), call.join("\n"));
      await using port = httpPort({
        endpoint: dynamodb.endpoint,
        credentials: { accessKeyId: "any", secretAccessKey: "any" },
      });
      await ensureTable(port, journalTableSpec());
      const env = {
        PATH: process.env["PATH"],
        AWS_REGION: "eu-west-1",
        AWS_ACCESS_KEY_ID: "any",
        AWS_SECRET_ACCESS_KEY: "any",
        DYNAMODB_ENDPOINT: dynamodb.endpoint,
      };
      const { stdout } = await promisify(execFile)(process.execPath, ["call.mjs"], { cwd: alone, env });
      expect(JSON.parse(stdout)).toEqual([
        { kind: "ok", sequenceNr: 1 },
        { kind: "ok", sequenceNr: 2 },
      ]);
    });
  },
);

test("a journal needs neither the AWS SDK nor anything native", () => {
  const needed = neededPackages(project, "@tablekeep/journal");
  expect(needed.map((each) => each.name).sort()).toEqual([
    "@tablekeep/client",
    "@tablekeep/core",
    "@tablekeep/journal",
    "undici",
  ]);
  const files = needed.flatMap((each) => filesOf(each.folder));
  expect(files.filter((path) => /\.node$|binding\.gyp$/.test(path))).toEqual([]);
});

describe("the sizes in docs/reference/packages.md", () => {
  const page = readFileSync(join(rootFolder, "docs/reference/packages.md"), "utf8");
  const rows = [
    ...page.matchAll(/^\| `([\w@/-]+)` +\|[^|]+\| +([\d,]+) kB +\| +([\d,]+) kB +\| +(\d+) +\|$/gm),
  ];
  const told = new Map(rows.map(([, name = "", ...numbers]) => [name, numbers.map(parseThousands)]));

  test("are those of every package", () => {
    expect([...told.keys()].sort()).toEqual([...names].sort());
  });

  test.each(names)("are right for %s", (name) => {
    const [own = 0, whole = 0, others = 0] = told.get(name) ?? [];
    const needed = neededPackages(project, name);
    expectNear(packageOf(name).unpackedSize, own);
    expectNear(
      needed.reduce((sum, each) => sum + sizeOf(each.folder), 0),
      whole,
    );
    // One more or less for each platform: a package with machine code may need another to find it.
    expect(Math.abs(needed.filter((each) => !names.includes(each.name)).length - others)).toBeLessThan(3);
  });

  test("keep the program with all that it needs within 40 MB and 60 packages", () => {
    const needed = neededPackages(project, "tablekeep");
    expect(needed.reduce((sum, each) => sum + sizeOf(each.folder), 0)).toBeLessThan(40_000_000);
    expect(needed.length).toBeLessThanOrEqual(60);
  });

  test("keep a journal with all that it needs below 4 MB", () => {
    const needed = neededPackages(project, "@tablekeep/journal");
    expect(needed.reduce((sum, each) => sum + sizeOf(each.folder), 0)).toBeLessThan(4_000_000);
  });
});

const parseThousands = (text: string | undefined) => Number(text?.replaceAll(",", ""));

/** Within a fifth: the page is for choosing, and need not change with every line of code. */
function expectNear(bytes: number, kilobytes: number): void {
  expect(bytes / 1000).toBeGreaterThan(kilobytes * 0.8);
  expect(bytes / 1000).toBeLessThan(kilobytes * 1.2);
}
