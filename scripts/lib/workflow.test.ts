import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "./run-command.mjs";

const text = (path: string) => readFileSync(join(rootFolder, path), "utf8");
const workflow = text(".github/workflows/ci.yml");
/** The values of a key, wherever it stands. */
const valuesOf = (key: string) =>
  [...workflow.matchAll(new RegExp(`^[ -]*${key}: ([^#\\n]+)`, "gm"))].map(([, value = ""]) => value.trim());

test("the public run ends with the command that README and CONTRIBUTING name", () => {
  expect(valuesOf("run").at(-1)).toBe(".ci/run");
  expect(statSync(join(rootFolder, ".ci/run")).mode & 0o100).toBe(0o100);
  const command = text(".ci/run").trim().split("\n").at(-1) ?? "";
  expect(command).toBe("npm ci && npm test");
  for (const page of ["README.md", "CONTRIBUTING.md"]) expect(text(page)).toContain(`\n${command}\n`);
});

test("it tries the oldest Node that every package claims to support, and later ones", () => {
  expect(valuesOf("container")).toEqual(["node:$" + "{{ matrix.node }}-bookworm"]);
  const [versions] = valuesOf("node");
  expect(versions).toBe("[20, 22, 24]");
  const { engines, workspaces } = JSON.parse(text("package.json")) as {
    engines: { node: string };
    workspaces: string[];
  };
  expect(engines.node).toBe(">=20.19");
  const published = workspaces.filter((path) => path.startsWith("packages/"));
  for (const path of published)
    expect(JSON.parse(text(join(path, "package.json"))), path).toMatchObject({ engines });
});

test("it may only read, and runs actions of others in one version alone", () => {
  expect(workflow).toMatch(/^permissions:\n {2}contents: read\n\w/m);
  expect(workflow.match(/permissions:/g)).toHaveLength(1);
  const used = valuesOf("uses");
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((each) => !/^actions\/[\w-]+@[0-9a-f]{40}$/.test(each))).toEqual([]);
});

test("the release may only read and prove its identity, tests first, and runs actions of others in one version alone", () => {
  const release = text(".github/workflows/release.yml");
  expect(release).toMatch(/^permissions:\n {2}contents: read\n\w/m);
  expect([...release.matchAll(/: write$/gm)]).toHaveLength(1);
  expect(release).toContain("\n      id-token: write\n");
  const used = [...release.matchAll(/uses: (\S+)/g)].map(([, action = ""]) => action);
  expect(used.filter((each) => !/^actions\/[\w-]+@[0-9a-f]{40}$/.test(each))).toEqual([]);
  const runs = [...release.matchAll(/- run: (.+)/g)].map(([, command = ""]) => command);
  expect(runs.indexOf(".ci/run")).toBeLessThan(runs.indexOf("npx changeset publish"));
  expect(runs.at(-1)).toBe("npx changeset publish");
});

test("SECURITY.md has a date, says how to report privately, and names an existing folder", () => {
  const page = text("SECURITY.md");
  expect(page).toMatch(/^Last reviewed on \d{4}-\d{2}-\d{2}\.$/m);
  expect(page).toMatch(/Report a\s+vulnerability/);
  const [folder = ""] = /packages\/[\w/]+/.exec(page) ?? [];
  expect(existsSync(join(rootFolder, folder))).toBe(true);
});

test("CHANGELOG.md groups the changes of a version by package, each once", () => {
  const { workspaces } = JSON.parse(text("package.json")) as { workspaces: string[] };
  const packages = workspaces
    .filter((path) => path.startsWith("packages/"))
    .map((path) => (JSON.parse(text(join(path, "package.json"))) as { name: string }).name);
  const allowed = new Set([...packages, "Upgrading", "Documentation"]);
  for (const version of text("CHANGELOG.md").split(/^## /m).slice(1)) {
    const headings = [...version.matchAll(/^### (.+)$/gm)].flatMap(([, heading = ""]) =>
      heading.split(" and "),
    );
    expect(headings.filter((heading) => !allowed.has(heading))).toEqual([]);
    expect(new Set(headings).size).toBe(headings.length);
  }
});
