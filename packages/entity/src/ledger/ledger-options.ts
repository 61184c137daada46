import type { TableSpec } from "@tablekeep/client";
import { type DynamoPort, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions } from "../options/check-options.ts";

/** Where the replies of commands with an id are kept, so that a command that comes again gets its first reply. */
export interface LedgerOptions {
  /** The port of the journal: ledger and events are written in one transaction. */
  readonly port: DynamoPort;
  /** The table of {@link ledgerTableSpec}. @default "tablekeep-commands" */
  readonly table?: string | undefined;
  /** Milliseconds for which a command is remembered. @default 86,400,000 (1 day) */
  readonly keepMs?: number | undefined;
}

const checks: OptionChecks<LedgerOptions> = {
  port: optionCheck.objectWith("getItem", "putItem", "transactWriteItems", "query", "batchWriteItem"),
  table: optionCheck.text,
  keepMs: optionCheck.milliseconds,
};

const defaultLedgerTable = "tablekeep-commands";

/** Fills in the defaults and checks what is given. */
export function resolveLedgerOptions(options: LedgerOptions): Required<NonNullableOptions> {
  checkOptions(options, checks);
  return {
    port: options.port,
    table: options.table ?? defaultLedgerTable,
    keepMs: options.keepMs ?? 86_400_000,
  };
}

type NonNullableOptions = { readonly [Name in keyof LedgerOptions]-?: NonNullable<LedgerOptions[Name]> };

/** The table of a ledger: for `ensureTable`, `checkTable` and the printers of templates. */
export function ledgerTableSpec(table: string = defaultLedgerTable): TableSpec {
  return {
    name: table,
    partitionKey: { name: "pid", type: "S" },
    sortKey: { name: "command", type: "S" },
    ttlAttribute: "ttl",
  };
}
