import { randomUUID } from "node:crypto";
import type {
  SnapshotAbilities,
  SnapshotCase,
  SnapshotStoreUnderTest,
  SnapshotWorld,
} from "./snapshot-case.ts";
import { snapshotMoreCases } from "./snapshot-more-cases.ts";
import { snapshotTckCases } from "./snapshot-tck-cases.ts";

export interface SnapshotSuiteOptions {
  /** Opens the store under test; called once, closed at the end if it can be. */
  readonly open: () => Promise<SnapshotStoreUnderTest> | SnapshotStoreUnderTest;
  /** The features of the store. @default everything */
  readonly abilities?: Partial<SnapshotAbilities>;
  /** The cases to run. @default all that the store is able to pass */
  readonly cases?: readonly SnapshotCase[];
}

/** A suite ready to be run by any test runner, or by a loop. */
export interface SnapshotSuite {
  readonly cases: readonly { readonly name: string; readonly run: () => Promise<void> }[];
  /** Opens the store. Before the first case. */
  setup(): Promise<void>;
  /** Closes the store. */
  teardown(): Promise<void>;
}

/** Every case of the suite. */
export const snapshotCases: readonly SnapshotCase[] = [...snapshotTckCases, ...snapshotMoreCases];

/**
 * The contract suite of a snapshot store: the cases of Akka's own suite, and cases that find known defects of stores.
 *
 * @example
 * const suite = snapshotSuite({ open: () => openSnapshots(port) });
 * beforeAll(suite.setup);
 * for (const { name, run } of suite.cases) test(name, run);
 * afterAll(suite.teardown);
 */
export function snapshotSuite(options: SnapshotSuiteOptions): SnapshotSuite {
  const run = randomUUID().slice(0, 8);
  const able = ({ needs }: SnapshotCase) => needs === undefined || options.abilities?.[needs] !== false;
  let world: SnapshotWorld | undefined;
  let count = 0;
  return {
    cases: (options.cases ?? snapshotCases).filter(able).map((each) => ({
      name: each.name,
      run: async () => {
        if (world === undefined) throw new Error("setup() has not run");
        await each.run(world);
      },
    })),
    async setup() {
      world = { store: await options.open(), unique: () => `suite-${run}-${++count}` };
    },
    async teardown() {
      await world?.store.close?.();
    },
  };
}
