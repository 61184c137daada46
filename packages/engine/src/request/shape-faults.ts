import type { Members, Shape } from "./shape.ts";

/** A problem of a request, in one sentence. */
export interface Fault {
  readonly text: string;
  /** The sentence of AWS's newer layer of checks, if it differs. */
  readonly newer?: string;
  /** Reported only if nothing else is wrong. */
  readonly last?: true;
  /** Set if the newer layer ignores the member, because it reports another problem of it. */
  readonly isUnread?: true;
}

/** The problems of a request. */
export interface Faults extends Array<Fault> {
  /** Set if the request has parts to ignore, which are not a problem: `stripUnknown` removes them. */
  hasExtras?: true;
  /** The message to report, whatever else is wrong. */
  first?: string;
  /** The only problem to report in the newer layer. */
  alone?: { readonly fault: Fault; readonly isBare: boolean };
  /** Set if a required member of the request itself is absent. */
  isIncomplete?: true;
}

/** The shape of a list. */
export type ListShape = Extract<Shape, { kind: "list" }>;

/** The limits of the names in a map. */
export type NameLimits = NonNullable<Extract<Shape, { kind: "map" }>["names"]>;

/** The limits of a length. */
export type LengthLimits = { readonly min?: number; readonly max?: number; readonly newer?: string };

/**
 * Formats the problems. AWS applies one of two layers of checks: the older one, which reports all problems, if a required
 * member is absent or a value is nested too deeply for the newer one. Source: the Parity Suite of 2026-10-09,
 * `validation-ordering`.
 */
export function formatFaults(faults: Faults, isOlder: boolean): string {
  const { alone } = faults;
  if (!isOlder && alone?.isBare) return textOf(alone.fault);
  if (!isOlder && alone !== undefined) return `1 validation error detected: ${textOf(alone.fault)}`;
  const read = isOlder ? faults : faults.filter(({ isUnread }) => !isUnread);
  const early = read.filter(({ last }) => !last);
  const reported = early.length > 0 ? early : read;
  const count = reported.length === 1 ? "1 validation error" : `${reported.length} validation errors`;
  return `${count} detected: ${reported.map(textOf).join("; ")}`;

  function textOf({ text, newer }: Fault): string {
    return (isOlder ? undefined : newer) ?? text;
  }
}

/** Keeps the first problem of a member, to be reported alone. */
export function reportAlone(faults: Faults, at: number, how: NonNullable<Members[string]["alone"]>): void {
  faults.length = at + 1;
  const only = faults[at] as Fault;
  if (how === "absent") faults.first ??= `1 validation error detected: ${only.text}`;
  else faults.alone ??= { fault: only, isBare: how === "bare" };
}

/** For the names of members DynamoDB reports the whole map, and all limits. */
export function namesFault({ min, max, pattern }: NameLimits, found: unknown, path: string): string {
  return (
    `Value '${json(found)}' at '${path}' failed to satisfy constraint: Map keys must satisfy constraint: ` +
    `[Member must have length less than or equal to ${max}, Member must have length greater than or equal to ${min}, ` +
    `Member must satisfy regular expression pattern: ${sourceOf(pattern)}]`
  );
}

/** A pattern as DynamoDB prints it: it always applies to the whole string. */
export function sourceOf(pattern: RegExp): string {
  return pattern.source.replace(/^\^|\$$/g, "");
}

/** For lists in a map DynamoDB reports the whole map, and both limits. */
export function listLengthFault(
  { min, max }: LengthLimits,
  found: Record<string, unknown>,
  path: string,
): string {
  const lists = Object.keys(found).map((name) => `${name}=${json(found[name])}`);
  const limits = `[Member must have length less than or equal to ${max}, Member must have length greater than or equal to ${min}]`;
  return `Value '{${lists.join(", ")}}' at '${path}' failed to satisfy constraint: Map value must satisfy constraint: ${limits}`;
}

/** Formats a value for a message. Called only for a problem, because the value may be a whole batch. */
export function formatValue(found: unknown, shape?: ListShape): string | undefined {
  if (typeof found === "string") return `'${found}'`;
  if (shape?.unshown) return undefined;
  const name = shape?.of.kind === "structure" ? shape.of.shownAs : undefined;
  if (name !== undefined && Array.isArray(found)) {
    return `'[${found.map((each) => formatStructure(each, name)).join(", ")}]'`;
  }
  return `'${json(found)}'`;
}

/** In this process, a caller can pass values that JSON cannot represent, or that are nested too deeply to print. */
function json(found: unknown): string {
  try {
    return JSON.stringify(found, (_name, each: unknown) => (typeof each === "bigint" ? String(each) : each));
  } catch {
    return "...";
  }
}

/** `KeySchemaElement(attributeName=pk, keyType=HASH)`. Members that are not strings are rejected right afterwards. */
function formatStructure(found: unknown, name: string): string {
  const texts = Object.entries(found ?? {}).filter(([, member]) => typeof member === "string");
  return `${name}(${texts.map(([member, text]) => `${camelCase(member)}=${text}`).join(", ")})`;
}

/** Describes a problem with a member. If the value is hidden, the names keep their capitals. */
export function fault(shown: string | undefined, path: string, must: string): string {
  const which = shown === undefined ? `at '${asWritten(path)}'` : `${shown} at '${path}'`;
  return `Value ${which} failed to satisfy constraint: Member must ${must}`;
}

/** `requestItems.things.member.keys` → `RequestItems.things.member.Keys`. */
function asWritten(path: string): string {
  return path.replace(/^[a-z]|(?<=\.)[a-z](?=[^.]*$)/g, (letter) => letter.toUpperCase());
}

/** `TableName` → `tableName`, as in DynamoDB's messages. */
export function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
