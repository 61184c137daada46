import { randomUUID } from "node:crypto";
import type { ShadowPolicy } from "../../manager/manager-options.ts";
import type { ShadowModel } from "../../model/shadow-error.ts";
import { awsCases } from "./aws-cases.ts";
import { faultCases } from "./fault-cases.ts";
import { managerCases } from "./manager-cases.ts";
import type { ShadowCase, ShadowSuiteWorld, ShadowsUnderTest } from "./shadow-case.ts";
import { storeCases } from "./store-cases.ts";

export interface ShadowSuiteOptions {
  /** The model of the shadows that `open` returns. */
  readonly model: ShadowModel;
  /** The policy of the manager that `open` returns. */
  readonly policy: ShadowPolicy;
  /** Opens the shadows under test as if in a separate process; each call on the same data. All are closed at the end. */
  readonly open: () => Promise<ShadowsUnderTest> | ShadowsUnderTest;
  /** Opens them with faults between them and DynamoDB, in the notation of testkit. @default cases with faults are skipped */
  readonly openWithFaults?: (schedule: string) => Promise<ShadowsUnderTest>;
  /** The cases to run. @default all applicable ones */
  readonly cases?: readonly ShadowCase[];
}

/** A suite ready to be run by any test runner, or by a loop. */
export interface ShadowSuite {
  readonly cases: readonly { readonly name: string; readonly run: () => Promise<void> }[];
  /** Opens the shadows. Before the first case. */
  setup(): Promise<void>;
  /** Closes what was opened. */
  teardown(): Promise<void>;
}

/** Every case of the suite. */
export const shadowCases: readonly ShadowCase[] = [
  ...storeCases,
  ...managerCases,
  ...awsCases,
  ...faultCases,
];

/**
 * Returns the suite that every store and manager of shadows must pass: AWS IoT's rules, and cases that detect known defects.
 *
 * @example
 * const suite = shadowSuite({ model: "combined", policy: "aws", open: () => openBoth(port) });
 * await suite.setup();
 * for (const { run } of suite.cases) await run();
 * await suite.teardown();
 */
export function shadowSuite(options: ShadowSuiteOptions): ShadowSuite {
  const { model, policy, openWithFaults } = options;
  const run = randomUUID().slice(0, 8);
  const opened: ShadowsUnderTest[] = [];
  const keep = async (under: Promise<ShadowsUnderTest> | ShadowsUnderTest) => {
    opened.push(await under);
    return under;
  };
  const fits = (each: ShadowCase) =>
    (each.policy === undefined || each.policy === policy) &&
    (!each.needsFaults || openWithFaults !== undefined);
  let world: ShadowSuiteWorld | undefined;
  let count = 0;
  return {
    cases: (options.cases ?? shadowCases).filter(fits).map((each) => ({
      name: each.name,
      run: async () => {
        if (world === undefined) throw new Error("setup() has not run");
        await each.run(world);
      },
    })),
    async setup() {
      world = {
        ...(await keep(options.open())),
        model,
        policy,
        another: () => keep(options.open()),
        withFaults: async (schedule) => {
          if (openWithFaults === undefined) throw new Error("a case needs the option openWithFaults");
          return keep(openWithFaults(schedule));
        },
        unique: () => `suite-${run}-${++count}`,
      };
    },
    async teardown() {
      for (const each of opened) await each.close?.();
    },
  };
}
