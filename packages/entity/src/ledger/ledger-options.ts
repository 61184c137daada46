import type { TableSpec } from "@tablekeep/client";
import { checkPort, type DynamoPort, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../call-options.ts";

/** Where the replies of commands with an id are stored, so that a repeated command gets its first reply. */
export interface LedgerOptions {
  /** The journal's port: ledger items and events are written in one transaction. */
  readonly port: DynamoPort;
  /** A table created from {@link ledgerTableSpec}. @default "tablekeep-commands" */
  readonly table?: string;
  /** How long a reply is kept, in milliseconds. @default 86,400,000 (1 day) */
  readonly keepMs?: number;
}

const checks: OptionChecks<LedgerOptions> = {
  port: optionCheck.port,
  table: optionCheck.nonEmptyString,
  keepMs: optionCheck.milliseconds,
};

const defaultLedgerTable = "tablekeep-commands";

/** Checks the options and fills in the defaults. */
export function resolveLedgerOptions(options: LedgerOptions): Required<NonNullableOptions> {
  checkOptions(options, checks);
  checkPort(options.port, optionInvalid);
  return {
    port: options.port,
    table: options.table ?? defaultLedgerTable,
    keepMs: options.keepMs ?? 86_400_000,
  };
}

type NonNullableOptions = { readonly [Name in keyof LedgerOptions]-?: NonNullable<LedgerOptions[Name]> };

/**
 * Returns the table that a ledger needs, for `ensureTable`, `checkTable` and the template printers.
 *
 * @example
 * await ensureTable(port, ledgerTableSpec("commands"));
 */
export function ledgerTableSpec(table: string = defaultLedgerTable): TableSpec {
  return {
    name: table,
    partitionKey: { name: "pid", type: "S" },
    sortKey: { name: "command", type: "S" },
    ttlAttribute: "ttl",
  };
}
