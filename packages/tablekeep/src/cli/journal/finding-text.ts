import type { Finding } from "@tablekeep/journal";
import { printable } from "../printable.ts";

/** A finding as one line. */
export function findingText({ severity, kind, persistenceId, message }: Finding): string {
  return printable(`${severity.padEnd(8)}${kind.padEnd(20)} ${persistenceId}: ${message}`);
}
