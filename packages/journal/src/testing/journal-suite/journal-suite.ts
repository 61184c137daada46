import { randomUUID } from "node:crypto";
import { faultCases } from "./fault-cases.ts";
import type {
  JournalAbilities,
  JournalCase,
  JournalUnderTest,
  JournalWorld,
  RowAccess,
} from "./journal-case.ts";
import { moreCases } from "./more-cases.ts";
import { originalCases } from "./original-cases.ts";
import { pluginCases } from "./plugin-cases.ts";
import { tckCases } from "./tck-cases.ts";

export interface JournalSuiteOptions {
  /** Opens the journal under test as another process would; each call on the same data. All are closed at the end. */
  readonly open: () => Promise<JournalUnderTest> | JournalUnderTest;
  /** Opens it with faults between it and DynamoDB, in the notation of testkit. @default cases with faults are left out */
  readonly openWithFaults?: (schedule: string) => Promise<JournalUnderTest>;
  /** The way to its rows past it. @default cases that need it are left out */
  readonly rows?: RowAccess;
  /** The features of the journal. @default all but `marks`, as far as the other options do not rule them out */
  readonly abilities?: Partial<JournalAbilities>;
  /** The cases to run. @default all that the journal is able to pass */
  readonly cases?: readonly JournalCase[];
}

/** A suite ready to be run by any test runner, or by a loop. */
export interface JournalSuite {
  readonly cases: readonly { readonly name: string; readonly run: () => Promise<void> }[];
  /** Opens the journal. Before the first case. */
  setup(): Promise<void>;
  /** Closes what was opened. */
  teardown(): Promise<void>;
}

/** Every case of the suite. */
export const journalCases: readonly JournalCase[] = [
  ...tckCases,
  ...pluginCases,
  ...originalCases,
  ...moreCases,
  ...faultCases,
];

/**
 * The contract suite of a journal: the cases of Akka's own suite and of its plugin, and cases that find known defects.
 *
 * @example
 * const suite = journalSuite({ open: () => openJournal(port) });
 * beforeAll(suite.setup);
 * for (const { name, run } of suite.cases) test(name, run);
 * afterAll(suite.teardown);
 */
export function journalSuite(options: JournalSuiteOptions): JournalSuite {
  const { rows, openWithFaults } = options;
  const run = randomUUID().slice(0, 8);
  const abilities: Partial<JournalAbilities> = {
    rows: rows !== undefined,
    marks: false,
    faults: openWithFaults !== undefined,
    ...options.abilities,
  };
  const able = ({ needs = [] }: JournalCase) => needs.every((need) => abilities[need] !== false);
  const opened: JournalUnderTest[] = [];
  const keep = async (journal: Promise<JournalUnderTest> | JournalUnderTest) => {
    opened.push(await journal);
    return journal;
  };
  let world: JournalWorld | undefined;
  let count = 0;
  return {
    cases: (options.cases ?? journalCases).filter(able).map((each) => ({
      name: each.name,
      run: async () => {
        if (world === undefined) throw new Error("setup() has not run");
        await each.run(world);
      },
    })),
    async setup() {
      world = {
        journal: await keep(options.open()),
        another: () => keep(options.open()),
        withFaults: (schedule) => keep(missing(openWithFaults, "openWithFaults")(schedule)),
        get rows() {
          return missing(rows, "rows");
        },
        unique: () => `suite-${run}-${++count}.`,
      };
    },
    async teardown() {
      for (const journal of opened) await journal.close?.();
    },
  };
}

function missing<Value>(value: Value | undefined, option: string): Value {
  if (value === undefined) throw new Error(`a case needs the option ${option}, which is not given`);
  return value;
}
