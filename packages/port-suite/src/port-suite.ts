import { randomUUID } from "node:crypto";
import type { DynamoPort } from "@tablekeep/core";
import { allCases } from "./all-cases.ts";
import type { Backend, PortCase, PortWorld } from "./port-case.ts";
import { isActive, type SharedTables, sharedTableInputs } from "./shared-tables.ts";

export interface DynamoPortSuiteOptions {
  /** Opens the port under test; called once, closed at the end. */
  readonly open: () => Promise<DynamoPort> | DynamoPort;
  /** The backend of the port. @default "tablekeep" */
  readonly backend?: Backend;
  /** How long {@link PortWorld.eventually} waits, in milliseconds. @default 120_000 */
  readonly patienceMs?: number;
  /** The cases to run. @default all */
  readonly cases?: readonly PortCase[];
}

/** A suite ready to be run by any test runner, or by a loop. */
export interface DynamoPortSuite {
  readonly cases: readonly { readonly name: string; readonly run: () => Promise<void> }[];
  /** Opens the port and creates the shared tables. Before the first case. */
  setup(): Promise<void>;
  /** Deletes the tables that were made and closes the port. */
  teardown(): Promise<void>;
}

/** The functions of a test runner that {@link register} needs; vitest, jest, mocha and node:test have them. */
export interface TestRunner {
  test(name: string, run: () => Promise<void>): unknown;
  beforeAll(run: () => Promise<void>): unknown;
  afterAll(run: () => Promise<void>): unknown;
}

/**
 * Creates the suite that every DynamoDB port must pass, with any backend.
 *
 * @example
 * const suite = dynamoPortSuite({ open: () => connect({ endpoint: "http://127.0.0.1:8000" }) });
 * await suite.setup();
 * for (const { run } of suite.cases) await run();
 * await suite.teardown();
 */
export function dynamoPortSuite(options: DynamoPortSuiteOptions): DynamoPortSuite {
  const backend = options.backend ?? "tablekeep";
  const prefix = `suite-${randomUUID().slice(0, 8)}`;
  let world: PortWorld | undefined;

  return {
    cases: (options.cases ?? allCases).map((each) => ({
      name: each.name,
      run: async () => {
        if (world === undefined) throw new Error("setup() has not run: call it before the first case");
        await runCase(each, world);
      },
    })),
    async setup() {
      const port = await options.open();
      world = makeWorld(port, backend, prefix, options.patienceMs ?? 120_000);
      const inputs = Object.values(sharedTableInputs(prefix));
      for (const input of inputs) await port.createTable(input);
      for (const { TableName } of inputs) {
        await world.eventually(`table ${TableName} is active`, () => isActive(port, TableName ?? ""));
      }
    },
    async teardown() {
      if (world === undefined) return;
      const { port } = world;
      for (const name of await tablesWith(port, prefix)) await port.deleteTable({ TableName: name });
      await port.close();
    },
  };
}

/**
 * Registers every case of a suite with a test runner.
 *
 * @example
 * register(dynamoPortSuite({ open: () => connect() }), { test, beforeAll, afterAll });
 */
export function register(suite: DynamoPortSuite, runner: TestRunner): void {
  runner.beforeAll(() => suite.setup());
  runner.afterAll(() => suite.teardown());
  for (const each of suite.cases) runner.test(each.name, each.run);
}

async function runCase(each: PortCase, world: PortWorld): Promise<void> {
  const gap = each.gaps?.[world.backend];
  if (gap === undefined) return each.run(world);
  const failure = await each.run(world).then(
    () => undefined,
    (error: unknown) => error ?? new Error("failed"),
  );
  if (failure === undefined)
    throw new Error(`${world.backend} now passes this case: remove its known gap "${gap}"`);
}

function makeWorld(port: DynamoPort, backend: Backend, prefix: string, patienceMs: number): PortWorld {
  let count = 0;
  const names = Object.entries(sharedTableInputs(prefix)).map(([name, { TableName }]) => [name, TableName]);
  return {
    port,
    backend,
    tables: Object.fromEntries(names) as SharedTables,
    unique: () => `${prefix}-u${++count}`,
    async eventually(what, done) {
      const giveUpAt = performance.now() + patienceMs;
      while (!(await done())) {
        if (performance.now() > giveUpAt)
          throw new Error(`timed out after ${patienceMs} ms waiting until ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

async function tablesWith(port: DynamoPort, prefix: string): Promise<string[]> {
  const found: string[] = [];
  let from: string | undefined;
  do {
    const page = await port.listTables({ ExclusiveStartTableName: from });
    found.push(...(page.TableNames ?? []).filter((name) => name.startsWith(prefix)));
    from = page.LastEvaluatedTableName;
  } while (from !== undefined);
  return found;
}
