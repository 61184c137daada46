import { invalid, typeMismatch } from "../values/dynamo-errors.ts";
import { isOnlyForOlderLayer } from "../values/nesting.ts";
import type { Members, Shape } from "./shape.ts";
import {
  camelCase,
  type Fault,
  type Faults,
  fault,
  formatFaults,
  formatValue,
  type LengthLimits,
  type ListShape,
  listLengthFault,
  type NameLimits,
  namesFault,
  reportAlone,
  sourceOf,
} from "./shape-faults.ts";
import { stripUnknown } from "./strip-unknown.ts";

/**
 * Checks a request against its shape and returns it, without members to ignore. As in DynamoDB, JSON of the wrong type is
 * rejected immediately; all other problems are collected and reported together.
 */
export function checkShape(members: Members, input: unknown): unknown {
  const faults: Faults = [];
  checkMembers(members, input, "", faults);
  if (faults.first !== undefined) throw invalid(faults.first);
  const isOlder = faults.length > 0 && (faults.isIncomplete || isOnlyForOlderLayer(input));
  if (isOlder || faults.some(({ isUnread }) => !isUnread)) throw invalid(formatFaults(faults, isOlder));
  return faults.hasExtras ? stripUnknown(members, input as object) : input;
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

function fits({ min, max, pattern }: NameLimits, name: string): boolean {
  return name.length >= min && name.length <= max && pattern.test(name);
}

function hasWrongLength({ min = 0, max = Number.POSITIVE_INFINITY }: LengthLimits, found: unknown): boolean {
  return Array.isArray(found) && (found.length < min || found.length > max);
}

function checkLength(
  limits: LengthLimits,
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

function isObject(found: unknown): found is Record<string, unknown> {
  return typeof found === "object" && found !== null && !Array.isArray(found);
}
