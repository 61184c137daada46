import type { Mail } from "../model/mail.ts";
import { changeCases } from "./change-cases.ts";
import { listCases } from "./list-cases.ts";
import type { MailAbilities, MailCase, MailWorld } from "./mail-case.ts";
import { storeCases } from "./store-cases.ts";

/** What {@link mailSuite} runs on. */
export interface MailSuiteOptions {
  /** Opens the store under test as if in a separate process; each call on the same data. All are closed at the end. */
  readonly open: () => Promise<Mail>;
  /** Opens it with faults between it and DynamoDB, in the notation of testkit. @default cases with faults are left out */
  readonly openTroubled?: (schedule: string) => Promise<Mail>;
  /** What the store is able to do. @default everything that the other options do not rule out */
  readonly abilities?: Partial<MailAbilities>;
  /** The cases to run. @default all that the store is able to pass */
  readonly cases?: readonly MailCase[];
}

/** A suite ready to be run by any test runner, or by a loop. */
export interface MailSuite {
  readonly cases: readonly { readonly name: string; readonly run: () => Promise<void> }[];
  /** Opens the store. Before the first case. */
  setup(): Promise<void>;
  /** Closes what was opened. */
  teardown(): Promise<void>;
}

/** Every case of the suite. */
export const mailCases: readonly MailCase[] = [...storeCases, ...listCases, ...changeCases];

/** What every mail store must do. The cases empty the store that they run on. */
export function mailSuite(options: MailSuiteOptions): MailSuite {
  const { openTroubled } = options;
  const abilities: Partial<MailAbilities> = { trouble: openTroubled !== undefined, ...options.abilities };
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
        troubled: (schedule) => {
          if (openTroubled === undefined) throw new Error("openTroubled is not given");
          return keep(openTroubled(schedule));
        },
      };
    },
    async teardown() {
      for (const mail of opened) await mail.close();
    },
  };
}
