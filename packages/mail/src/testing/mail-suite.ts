import type { Mail } from "../model/mail.ts";
import { changeCases } from "./change-cases.ts";
import { listCases } from "./list-cases.ts";
import type { MailAbilities, MailCase, MailWorld } from "./mail-case.ts";
import { storeCases } from "./store-cases.ts";

/** What {@link mailSuite} runs on. */
export interface MailSuiteOptions {
  /** Opens the store under test as if in a separate process. All calls open the same data. The suite closes all stores. */
  readonly open: () => Promise<Mail>;
  /** Opens the store with injected faults, in the notation of testkit. @default cases with faults are skipped */
  readonly openWithFaults?: (schedule: string) => Promise<Mail>;
  /** Abilities of the store. @default all that the other options allow */
  readonly abilities?: Partial<MailAbilities>;
  /** The cases to run. @default all that the abilities allow */
  readonly cases?: readonly MailCase[];
}

/** A suite for any test runner. */
export interface MailSuite {
  readonly cases: readonly { readonly name: string; readonly run: () => Promise<void> }[];
  /** Opens the store. Call it before the first case. */
  setup(): Promise<void>;
  /** Closes all stores. */
  teardown(): Promise<void>;
}

/** Every case of the suite. */
export const mailCases: readonly MailCase[] = [...storeCases, ...listCases, ...changeCases];

/**
 * Creates the suite that every mail store must pass. The cases empty the store that they run on.
 *
 * @example
 * const suite = mailSuite({ open: () => openMail(port) });
 * beforeAll(suite.setup);
 * afterAll(suite.teardown);
 * test.each(suite.cases)("$name", ({ run }) => run());
 */
export function mailSuite(options: MailSuiteOptions): MailSuite {
  const { openWithFaults } = options;
  const abilities: Partial<MailAbilities> = { faults: openWithFaults !== undefined, ...options.abilities };
  const able = ({ needs }: MailCase) => needs === undefined || abilities[needs] !== false;
  const opened: Mail[] = [];
  const keep = async (opening: Promise<Mail>) => {
    const mail = await opening;
    opened.push(mail);
    return mail;
  };
  let world: MailWorld | undefined;
  return {
    cases: (options.cases ?? mailCases).filter(able).map((each) => ({
      name: each.name,
      run: async () => {
        if (world === undefined) throw new Error("setup() has not run");
        await world.mail.deleteAll();
        await each.run(world);
      },
    })),
    async setup() {
      world = {
        mail: await keep(options.open()),
        another: () => keep(options.open()),
        withFaults: (schedule) => {
          if (openWithFaults === undefined) throw new Error("a case needs the option openWithFaults");
          return keep(openWithFaults(schedule));
        },
      };
    },
    async teardown() {
      for (const mail of opened) await mail.close();
    },
  };
}
