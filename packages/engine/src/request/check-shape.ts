import { typeMismatch } from "../values/check-item.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { isOnlyForOlderLayer } from "../values/nesting.ts";
import type { Members, Shape } from "./shape.ts";

/** A problem of a request, in one sentence. */
interface Fault {
  readonly text: string;
  /** The sentence of AWS's newer layer of checks, if it differs. */
  readonly newer?: string;
  /** Reported only if nothing else is wrong. */
  readonly last?: true;
  /** Set if the newer layer does not read the member: something else is wrong with it. */
  readonly isUnread?: true;
}

/** The problems of a request. */
interface Faults extends Array<Fault> {
  /** Set if there is something to ignore, which is not a problem: see {@link stripUnknown}. */
  hasExtras?: true;
  /** The message to report, whatever else is wrong. */
  first?: string;
  /** The only problem to report in the newer layer. */
  alone?: { readonly fault: Fault; readonly isBare: boolean };
  /** Set if a required member of the request itself is absent. */
  isIncomplete?: true;
}

/**
 * Checks a request against its shape and returns it, without members to ignore. JSON of the wrong type is rejected at
 * once, as by DynamoDB; all other problems are collected and reported together.
 */
export function checkShape(members: Members, input: unknown): unknown {
  const faults: Faults = [];
  checkMembers(members, input, "", faults);
  if (faults.first !== undefined) throw invalid(faults.first);
  const isOlder = faults.length > 0 && (faults.isIncomplete || isOnlyForOlderLayer(input));
  if (isOlder || faults.some(({ isUnread }) => !isUnread)) throw invalid(formatFaults(faults, isOlder));
  return faults.hasExtras ? stripUnknown(members, input as object) : input;
}

/**
 * Formats the problems as the layer of checks does that AWS applies: the older one, which reports all of them, if a required
 * member is absent or a value is nested too deeply for the newer one. Source: the Parity Suite of 2026-10-09,
 * `validation-ordering`.
 */
function formatFaults(faults: Faults, isOlder: boolean): string {
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

function checkMembers(members: Members, input: unknown, path: string, faults: Faults): void {
  if (!isObject(input)) throw typeMismatch(input, "Structure");
  let known = 0;
  for (const name in members) {
    const { shape, required, alone, isRead } = members[name] as Members[string];
    const isThere = Object.hasOwn(input, name);
    if (isThere) known++;
    const member = isThere ? input[name] : undefined;
    if (member === undefined || member === null) {
      if (member === null) faults.hasExtras = true;
      if (alone === "absent")
        faults.first ??= `The parameter '${name}' is required but was not present in the request`;
      if (!required) continue;
      faults.push({ text: fault("null", path + camelCase(name), "not be null") });
      if (path === "") faults.isIncomplete = true;
    } else {
      const before = faults.length;
      check(shape, member, path + camelCase(name), faults);
      if (faults.length === before) continue;
      if (isRead?.(input) === false) faults[before] = { ...(faults[before] as Fault), isUnread: true };
      else if (alone !== undefined) reportAlone(faults, before, alone);
    }
  }
  if (known < Object.keys(input).length) faults.hasExtras = true;
}

/** Keeps the first problem of a member, to be reported alone. */
function reportAlone(faults: Faults, at: number, how: NonNullable<Members[string]["alone"]>): void {
  faults.length = at + 1;
  const only = faults[at] as Fault;
  if (how === "absent") faults.first ??= `1 validation error detected: ${only.text}`;
  else faults.alone ??= { fault: only, isBare: how === "bare" };
}

function check(shape: Shape, found: unknown, path: string, faults: Faults): void {
  switch (shape.kind) {
    case "text":
      if (typeof found !== "string") throw typeMismatch(found, "String");
      checkText(shape, found, path, faults);
      break;
    case "number":
      if (typeof found !== "number") throw typeMismatch(found, "Integer");
      // DynamoDB truncates fractions.
      if (!Number.isInteger(found)) faults.hasExtras = true;
      checkNumber(shape, Math.floor(found), path, faults);
      break;
    case "boolean":
      if (typeof found !== "boolean") throw typeMismatch(found, "Boolean");
      break;
    case "list":
      if (!Array.isArray(found)) throw typeMismatch(found, "List");
      checkLength(shape, found.length, found, path, faults, shape);
      for (const [at, element] of found.entries()) {
        if (element === undefined) throw typeMismatch(element, "Structure");
        check(shape.of, element, `${path}.${at + 1}.member`, faults);
      }
      break;
    case "map":
      checkMap(shape, found, path, faults);
      break;
    case "structure":
      checkMembers(shape.members, found, `${path}.`, faults);
      break;
    case "value":
      // Its content is checked elsewhere.
      if (!isObject(found)) throw typeMismatch(found, "AttributeValue");
      break;
    case "anything":
      break;
  }
}

function checkText(
  shape: Extract<Shape, { kind: "text" }>,
  found: string,
  path: string,
  faults: Faults,
): void {
  checkLength(shape, found.length, found, path, faults);
  if (shape.pattern !== undefined && !shape.pattern.test(found)) {
    const must = `satisfy regular expression pattern: ${sourceOf(shape.pattern)}`;
    faults.push({ text: fault(`'${found}'`, path, must) });
  }
  if (shape.oneOf !== undefined && !shape.oneOf.includes(found)) {
    const must = `satisfy enum value set: [${shape.oneOf.join(", ")}]`;
    faults.push({ text: fault(`'${found}'`, path, must), newer: shape.newer });
  }
}

function checkNumber(
  shape: Extract<Shape, { kind: "number" }>,
  found: number,
  path: string,
  faults: Faults,
): void {
  const value = shape.unshown ? undefined : `'${found}'`;
  if (shape.min !== undefined && found < shape.min) {
    faults.push({ text: fault(value, path, `have value greater than or equal to ${shape.min}`) });
  }
  if (shape.max !== undefined && found > shape.max) {
    faults.push({ text: fault(value, path, `have value less than or equal to ${shape.max}`) });
  }
}

function checkMap(
  shape: Extract<Shape, { kind: "map" }>,
  found: unknown,
  path: string,
  faults: Faults,
): void {
  if (!isObject(found)) throw typeMismatch(found, "Map");
  // Attribute values are by far the most common maps, and are checked elsewhere.
  if (shape.of.kind === "value") return;
  const names = Object.keys(found);
  checkLength(shape, names.length, found, path, faults);
  if (shape.names !== undefined && !names.every((name) => fits(shape.names as NameLimits, name))) {
    faults.push({ text: namesFault(shape.names, found, path), last: shape.names.last });
    return;
  }
  for (const name of names) {
    if (found[name] === undefined) faults.hasExtras = true;
    else if (shape.of.kind === "list" && hasWrongLength(shape.of, found[name])) {
      faults.push({ text: listLengthFault(shape.of, found, path) });
      return;
    } else check(shape.of, found[name], `${path}.${name}.member`, faults);
  }
}

type NameLimits = NonNullable<Extract<Shape, { kind: "map" }>["names"]>;

function fits({ min, max, pattern }: NameLimits, name: string): boolean {
  return name.length >= min && name.length <= max && pattern.test(name);
}

/** For the names of members DynamoDB reports the whole map, and all limits. */
function namesFault({ min, max, pattern }: NameLimits, found: unknown, path: string): string {
  return (
    `Value '${json(found)}' at '${path}' failed to satisfy constraint: Map keys must satisfy constraint: ` +
    `[Member must have length less than or equal to ${max}, Member must have length greater than or equal to ${min}, ` +
    `Member must satisfy regular expression pattern: ${sourceOf(pattern)}]`
  );
}

/** A pattern as DynamoDB prints it: it always applies to the whole string. */
function sourceOf(pattern: RegExp): string {
  return pattern.source.replace(/^\^|\$$/g, "");
}

type Limits = { readonly min?: number; readonly max?: number; readonly newer?: string };

function hasWrongLength({ min = 0, max = Number.POSITIVE_INFINITY }: Limits, found: unknown): boolean {
  return Array.isArray(found) && (found.length < min || found.length > max);
}

/** For lists in a map DynamoDB reports the whole map, and both limits. */
function listLengthFault({ min, max }: Limits, found: Record<string, unknown>, path: string): string {
  const lists = Object.keys(found).map((name) => `${name}=${json(found[name])}`);
  const limits = `[Member must have length less than or equal to ${max}, Member must have length greater than or equal to ${min}]`;
  return `Value '{${lists.join(", ")}}' at '${path}' failed to satisfy constraint: Map value must satisfy constraint: ${limits}`;
}

type ListShape = Extract<Shape, { kind: "list" }>;

function checkLength(
  limits: Limits,
  length: number,
  found: unknown,
  path: string,
  faults: Faults,
  list?: ListShape,
): void {
  if (limits.max !== undefined && length > limits.max) {
    const must = `have length less than or equal to ${limits.max}`;
    faults.push({ text: fault(formatValue(found, list), path, must) });
  }
  if (limits.min !== undefined && length < limits.min) {
    const must = `have length greater than or equal to ${limits.min}`;
    faults.push({ text: fault(formatValue(found, list), path, must), newer: limits.newer });
  }
}

/** Formats a value for a message; only when there is one, because it may be a whole batch. */
function formatValue(found: unknown, shape?: ListShape): string | undefined {
  if (typeof found === "string") return `'${found}'`;
  if (shape?.unshown) return undefined;
  const name = shape?.of.kind === "structure" ? shape.of.shownAs : undefined;
  if (name !== undefined && Array.isArray(found)) {
    return `'[${found.map((each) => formatStructure(each, name)).join(", ")}]'`;
  }
  return `'${json(found)}'`;
}

/** A caller can pass what JSON cannot represent, or what is nested too deeply to print. */
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
function fault(shown: string | undefined, path: string, must: string): string {
  const which = shown === undefined ? `at '${asWritten(path)}'` : `${shown} at '${path}'`;
  return `Value ${which} failed to satisfy constraint: Member must ${must}`;
}

/** `requestItems.things.member.keys` → `RequestItems.things.member.Keys`. */
function asWritten(path: string): string {
  return path.replace(/^[a-z]|(?<=\.)[a-z](?=[^.]*$)/g, (letter) => letter.toUpperCase());
}

/** `TableName` → `tableName`, as in DynamoDB's messages. */
function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function isObject(found: unknown): found is Record<string, unknown> {
  return typeof found === "object" && found !== null && !Array.isArray(found);
}

/**
 * Returns a copy of a request without what DynamoDB's JSON ignores: unknown members, null members, undefined members
 * of maps, and fractions of integers. An operation must not read or store unknown members.
 */
function stripUnknown(members: Members, input: object): object {
  const kept = Object.entries(input).filter(
    ([name, member]) => member !== null && member !== undefined && Object.hasOwn(members, name),
  );
  return Object.fromEntries(
    kept.map(([name, member]) => [name, stripWithin((members[name] as Members[string]).shape, member)]),
  );
}

function stripWithin(shape: Shape, found: unknown): unknown {
  switch (shape.kind) {
    case "structure":
      return stripUnknown(shape.members, found as object);
    case "list":
      return (found as unknown[]).map((element) => stripWithin(shape.of, element));
    case "map": {
      const entries = Object.entries(found as object).filter(([, member]) => member !== undefined);
      return Object.fromEntries(entries.map(([name, member]) => [name, stripWithin(shape.of, member)]));
    }
    case "number":
      return Math.floor(found as number);
    default:
      return found;
  }
}
