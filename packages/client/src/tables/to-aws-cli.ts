import { createTableInput, timeToLiveInput } from "./create-table-input.ts";
import type { TableSpec } from "./table-spec.ts";

/**
 * The tables as a shell script for the AWS command line: for each `create-table` with its JSON and, where items
 * expire, a wait and `update-time-to-live`.
 */
export function toAwsCli(specs: readonly TableSpec[]): string {
  return `#!/bin/sh\nset -eu\n${specs.map(commands).join("")}`;
}

function commands(spec: TableSpec): string {
  const expiry = timeToLiveInput(spec);
  const create = `\naws dynamodb create-table --cli-input-json ${quotedJson(createTableInput(spec))}\n`;
  if (expiry === undefined) return create;
  const wait = `aws dynamodb wait table-exists --table-name ${quoted(spec.name)}\n`;
  return `${create}${wait}aws dynamodb update-time-to-live --cli-input-json ${quotedJson(expiry)}\n`;
}

function quotedJson(value: object): string {
  return quoted(JSON.stringify(value, undefined, 2));
}

/** A word of a POSIX shell: between single quotes everything but the quote itself stands for itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
