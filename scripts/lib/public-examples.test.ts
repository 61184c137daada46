import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { boundaries } from "./package-boundaries.mjs";
import { rootFolder } from "./run-command.mjs";

/** Interfaces whose methods need no example, by the reason. */
const exempt = {
  "the caller implements it": [
    "Clock",
    "CloudShadows",
    "Codecs",
    "CredentialSource",
    "CutLineErrors",
    "ImapInboxes",
    "LambdaContext",
    "Logger",
    "MailReceiver",
    "PicturePage",
    "SmtpObserver",
    "SyncCodecs",
    "TestRunner",
    "UidLog",
    "Upcaster",
  ],
  "a part of a definition or a scenario, which has an example": [
    "AtLeastOnceDefinition",
    "DecideContext",
    "ExactlyOnceDefinition",
    "ExternalDefinition",
    "InterleavingScenario",
    "PauseScenario",
    "StopScenario",
  ],
  "other packages use it, or a suite passes it to its cases": [
    "ChangeSource",
    "CommittedChange",
    "Deadline",
    "JournalChanges",
    "JournalHistoryRecorder",
    "JournalSuite",
    "JournalWorld",
    "LinkedSignal",
    "MailSuite",
    "MailWorld",
    "MatchResult",
    "MemoryShare",
    "PortWorld",
    "RecordedJournal",
    "RecordedWriter",
    "RetryLimits",
    "RowAccess",
    "SearchMemory",
    "ShadowSuiteWorld",
    "SmtpChaos",
    "SnapshotSuite",
    "SnapshotWorld",
    "TranscriptWriter",
  ],
};

interface Exported {
  readonly name: string;
  readonly file: string;
}

const sourceOf = (file: string) => readFileSync(join(rootFolder, file), "utf8");

/** The entry points of a package, as source files. */
function entriesOf(name: string): string[] {
  const manifest = JSON.parse(sourceOf(`packages/${name}/package.json`)) as {
    readonly exports: Record<string, { readonly default?: string }>;
  };
  return Object.values(manifest.exports).map(
    ({ default: built = "" }) =>
      `packages/${name}/${built.replace("./dist/", "src/").replace(/\.js$/, ".ts")}`,
  );
}

/** What an index file exports from its own package, with the files that declare it. */
function exportedBy(file: string): Exported[] {
  return [...sourceOf(file).matchAll(/^export (?:type )?\{([^}]*)\} from "(\.[^"]+)"/gm)].flatMap(
    ([, names = "", from = ""]) =>
      names
        .split(",")
        .map((name) =>
          name
            .replace(/^\s*type /, "")
            .replace(/ as .*/, "")
            .trim(),
        )
        .filter((name) => name !== "")
        .map((name) => ({ name, file: posix.join(posix.dirname(file), from) })),
  );
}

/** The declaration of a name, with the comment before it; undefined if the file declares it in another way. */
function declarationOf({ name, file }: Exported) {
  const source = sourceOf(file);
  const found = new RegExp(
    `^export (?:async )?(function\\*?|const|class|interface|type) ${name}\\b.*`,
    "m",
  ).exec(source);
  if (found === null) return undefined;
  const comment = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(source.slice(0, found.index))?.[0] ?? "";
  const body = source.slice(found.index).split("\n}")[0] ?? "";
  return { kind: found[1] ?? "", line: found[0], comment, body, source };
}

const examplesIn = (text: string) =>
  [...text.matchAll(/@example((?:(?!\*\/|@example)[\s\S])*)/g)].map(([, example]) => example).join("\n");

const exported = Object.keys(boundaries)
  .flatMap(entriesOf)
  .flatMap(exportedBy)
  .map((each) => ({ ...each, declaration: declarationOf(each) }));

test("every exported name is declared in the file that the index names", () => {
  expect(exported.length).toBeGreaterThan(1_000);
  expect(exported.filter(({ declaration }) => declaration === undefined)).toEqual([]);
});

test("every exported function has an example that calls it", () => {
  const functions = exported.filter(
    ({ declaration }) =>
      declaration?.kind.startsWith("function") ||
      /^export const \w+(?:: [^=]*=>[^=]*)? = (?:async )?(?:\(|<|function)/.test(declaration?.line ?? ""),
  );
  expect(functions.length).toBeGreaterThan(200);
  const without = functions.filter(
    ({ name, declaration }) => !new RegExp(`\\b${name}\\b`).test(examplesIn(declaration?.comment ?? "")),
  );
  expect(without.map(({ name, file }) => `${file}: ${name}`)).toEqual([]);
});

test("every method of an exported interface has an example in its file, or its interface a reason", () => {
  const reasons = new Set(Object.values(exempt).flat());
  const interfaces = exported.filter(({ declaration }) => declaration?.kind === "interface");
  const methods = interfaces.flatMap(({ name, file, declaration }) =>
    [...(declaration?.body ?? "").matchAll(/^ {2}(\w+)(?:<[^(]*>)?\(/gm)].map(([, method = ""]) => ({
      name,
      method,
      file,
      isShown: new RegExp(`\\b${method}\\(`).test(examplesIn(declaration?.source ?? "")),
    })),
  );
  expect(methods.length).toBeGreaterThan(150);
  const without = methods.filter(({ name, isShown }) => !isShown && !reasons.has(name));
  expect(without.map(({ name, method, file }) => `${file}: ${name}.${method}`)).toEqual([]);
  const needed = new Set(methods.filter(({ isShown }) => !isShown).map(({ name }) => name));
  expect([...reasons].filter((name) => !needed.has(name))).toEqual([]);
});
