/** The examples of docs/how-to/entities.md, which must stand here word for word. */
import { ensureTable } from "@tablekeep/client";
import { isTablekeepError } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import {
  defineEntity,
  isEntityError,
  ledgerTableSpec,
  openEntities,
  refuse,
  upcastFrom,
} from "@tablekeep/entity";
import { checkEntity, scenarioOf } from "@tablekeep/entity/testing";
import { journalTableSpec, openJournal, openSnapshots, snapshotTableSpec } from "@tablekeep/journal";

type Command = { type: "deposit"; cents: number } | { type: "withdraw"; cents: number } | { type: "balance" };
type Event = { type: "deposited"; cents: number } | { type: "withdrawn"; cents: number };

export const account = defineEntity({
  type: "account",
  initial: () => ({ cents: 0 }),
  decide(command: Command, state) {
    switch (command.type) {
      case "deposit":
        return { events: { type: "deposited", cents: command.cents }, reply: state.cents + command.cents };
      case "withdraw":
        if (state.cents < command.cents) return refuse("not-enough", { balance: state.cents });
        return { events: { type: "withdrawn", cents: command.cents }, reply: state.cents - command.cents };
      case "balance":
        return { reply: state.cents };
    }
  },
  evolve: (state: { cents: number }, event: Event) => ({
    cents: state.cents + (event.type === "deposited" ? event.cents : -event.cents),
  }),
});

export function testAccount(): void {
  const given = scenarioOf(account);
  given([{ type: "deposited", cents: 100 }])
    .when({ type: "withdraw", cents: 40 })
    .then({ type: "withdrawn", cents: 40 });
  given([]).when({ type: "withdraw", cents: 1 }).then({ refused: "not-enough" });

  checkEntity(account, {
    command: (random) => ({
      type: random() < 0.5 ? "deposit" : "withdraw",
      cents: Math.floor(random() * 100),
    }),
    invariant: (state) => state.cents >= 0,
  });
}

export async function runAccount(path: string, requestId: string, now: number): Promise<unknown> {
  await using port = await openEngine({ storage: { kind: "folder", path } });
  await ensureTable(port, journalTableSpec({ table: "events" }));
  await ensureTable(port, snapshotTableSpec("snapshots"));
  await ensureTable(port, ledgerTableSpec("commands"));
  await using host = await openEntities({
    journal: await openJournal(port, { table: "events" }),
    snapshots: await openSnapshots(port, { table: "snapshots" }),
    ledger: { port, table: "commands" },
    entities: [account],
    keepSnapshots: 2,
  });
  const accounts = host.of(account);

  const deposit = async () => {
    try {
      const options = { commandId: requestId, deadlineMs: 30_000 };
      return await accounts.ask("ann", { type: "deposit", cents: 100 }, options);
    } catch (error) {
      if (isEntityError(error, "ENTITY_COMMAND_REFUSED")) return error.details.reason;
      const again = isTablekeepError(error) && (error.ambiguous || error.retryable);
      if (again) return "ask again, with the same command id";
      throw error;
    }
  };
  const replies = [await deposit(), await deposit()];

  const yesterday = await accounts.stateAt("ann", { timestamp: now - 24 * 3_600_000 });
  const second = await accounts.stateAt("ann", { sequenceNr: 2 });
  const replayed = await accounts.recover("ann", { snapshot: "none" });
  return { replies, yesterday, second, replayed };
}

type OpenedV1 = { type: "opened"; owner: string };
type OpenedV2 = { type: "opened"; owners: readonly string[] };

export const jointAccount = defineEntity({
  type: "joint-account",
  initial: (): readonly string[] => [],
  decide: (command: { type: "open"; owners: readonly string[] }) => ({
    events: { type: "opened", owners: command.owners },
  }),
  evolve: (_owners: readonly string[], event: OpenedV2) => event.owners,
  upcasters: { opened: upcastFrom((old: OpenedV1): OpenedV2 => ({ type: "opened", owners: [old.owner] })) },
});
