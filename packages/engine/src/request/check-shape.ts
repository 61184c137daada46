import { unexpected } from "../values/check-item.ts";
import { invalid } from "../values/dynamo-errors.ts";
import type { Members, Shape } from "./shape.ts";

/** What is wrong with a request, a sentence each. */
interface Faults extends Array<string> {
  /** Whether something is there that does not count, which is no fault: see {@link tidied}. */
  untidy?: true;
  /** The one fault that is told, whatever else is wrong. */
  alone?: string;
}

/**
 * Checks a request against its table and gives it back, without what does not count. JSON of the wrong type is
 * refused at once, as DynamoDB does; all other faults are gathered and told together.
 */
export function checkShape(members: Members, input: unknown): unknown {
  const faults: Faults = [];
  checkMembers(members, input, "", faults);
  if (faults.alone !== undefined) throw invalid(faults.alone);
  if (faults.length === 0) return faults.untidy ? tidied(members, input as object) : input;
  throw invalid(told(faults));
}

function told(faults: readonly string[]): string {
  const count = faults.length === 1 ? "1 validation error" : `${faults.length} validation errors`;
  return `${count} detected: ${faults.join("; ")}`;
}

function checkMembers(members: Members, input: unknown, path: string, faults: Faults): void {
  if (!isObject(input)) throw unexpected(input, "Structure");
  let known = 0;
  for (const name in members) {
    const { shape, required, alone } = members[name] as Members[string];
    const isThere = Object.hasOwn(input, name);
    if (isThere) known++;
    const member = isThere ? input[name] : undefined;
    if (member === undefined || member === null) {
      if (member === null) faults.untidy = true;
      if (alone === "absent")
        faults.alone ??= `The parameter '${name}' is required but was not present in the request`;
      if (required) faults.push(fault("null", path + camelCase(name), "not be null"));
    } else {
      const before = faults.length;
      check(shape, member, path + camelCase(name), faults);
      if (alone !== undefined && faults.length > before)
        faults.alone ??= told(faults.slice(before, before + 1));
    }
  }
  if (known < Object.keys(input).length) faults.untidy = true;
}

function check(shape: Shape, found: unknown, path: string, faults: Faults): void {
  switch (shape.kind) {
    case "text":
      if (typeof found !== "string") throw unexpected(found, "String");
      checkText(shape, found, path, faults);
      break;
    case "number":
      if (typeof found !== "number") throw unexpected(found, "Integer");
      // DynamoDB leaves a fraction out.
      if (!Number.isInteger(found)) faults.untidy = true;
      checkNumber(shape, Math.floor(found), path, faults);
      break;
    case "boolean":
      if (typeof found !== "boolean") throw unexpected(found, "Boolean");
      break;
    case "list":
      if (!Array.isArray(found)) throw unexpected(found, "List");
      checkLength(shape, found.length, found, path, faults, shape);
      for (const [at, element] of found.entries()) {
        if (element === undefined) throw unexpected(element, "Structure");
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
      // What it holds is looked into elsewhere.
      if (!isObject(found)) throw unexpected(found, "AttributeValue");
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
    const pattern = shape.pattern.source.replace(/^\^|\$$/g, "");
    faults.push(fault(`'${found}'`, path, `satisfy regular expression pattern: ${pattern}`));
  }
  if (shape.oneOf !== undefined && !shape.oneOf.includes(found)) {
    faults.push(fault(`'${found}'`, path, `satisfy enum value set: [${shape.oneOf.join(", ")}]`));
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
    faults.push(fault(value, path, `have value greater than or equal to ${shape.min}`));
  }
  if (shape.max !== undefined && found > shape.max) {
    faults.push(fault(value, path, `have value less than or equal to ${shape.max}`));
  }
}

function checkMap(
  shape: Extract<Shape, { kind: "map" }>,
  found: unknown,
  path: string,
  faults: Faults,
): void {
  if (!isObject(found)) throw unexpected(found, "Map");
  // Attribute values are by far the most common maps, and are looked into elsewhere.
  if (shape.of.kind === "value") return;
  const names = Object.keys(found);
  checkLength(shape, names.length, found, path, faults);
  for (const name of names) {
    if (found[name] === undefined) faults.untidy = true;
    else if (shape.of.kind === "list" && hasWrongLength(shape.of, found[name])) {
      faults.push(wrongLists(shape.of, found, path));
      return;
    } else check(shape.of, found[name], `${path}.${name}.member`, faults);
  }
}

type Limits = { readonly min?: number; readonly max?: number };

function hasWrongLength({ min = 0, max = Number.POSITIVE_INFINITY }: Limits, found: unknown): boolean {
  return Array.isArray(found) && (found.length < min || found.length > max);
}

/** Of lists in a map DynamoDB tells the whole map, and both limits. */
function wrongLists({ min, max }: Limits, found: Record<string, unknown>, path: string): string {
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
    faults.push(fault(shown(found, list), path, `have length less than or equal to ${limits.max}`));
  }
  if (limits.min !== undefined && length < limits.min) {
    faults.push(fault(shown(found, list), path, `have length greater than or equal to ${limits.min}`));
  }
}

/** A value in a message; only made when there is one, because it may be a whole batch. */
function shown(found: unknown, shape?: ListShape): string | undefined {
  if (typeof found === "string") return `'${found}'`;
  if (shape?.unshown) return undefined;
  const name = shape?.of.kind === "structure" ? shape.of.shownAs : undefined;
  if (name !== undefined && Array.isArray(found)) {
    return `'[${found.map((each) => shownStructure(each, name)).join(", ")}]'`;
  }
  return `'${json(found)}'`;
}

/** A caller can pass what no JSON holds, or what is nested too deep to be printed. */
function json(found: unknown): string {
  try {
    return JSON.stringify(found, (_name, each: unknown) => (typeof each === "bigint" ? String(each) : each));
  } catch {
    return "...";
  }
}

/** `KeySchemaElement(attributeName=pk, keyType=HASH)`. What is no text is refused for that, right after. */
function shownStructure(found: unknown, name: string): string {
  const texts = Object.entries(found ?? {}).filter(([, member]) => typeof member === "string");
  return `${name}(${texts.map(([member, text]) => `${camelCase(member)}=${text}`).join(", ")})`;
}

/** What is wrong with a member. Where the value is not shown, the names are not changed, either. */
function fault(shown: string | undefined, path: string, must: string): string {
  const which = shown === undefined ? `at '${asWritten(path)}'` : `${shown} at '${path}'`;
  return `Value ${which} failed to satisfy constraint: Member must ${must}`;
}

/** `requestItems.things.member.keys` → `RequestItems.things.member.Keys`. */
function asWritten(path: string): string {
  return path.replace(/^[a-z]|(?<=\.)[a-z](?=[^.]*$)/g, (letter) => letter.toUpperCase());
}

/** `TableName` → `tableName`, as DynamoDB's messages have it. */
function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function isObject(found: unknown): found is Record<string, unknown> {
  return typeof found === "object" && found !== null && !Array.isArray(found);
}

/**
 * A copy of a request without what does not count in DynamoDB's JSON: members that no table names, members that are
 * null, in maps those that are undefined, and fractions of whole numbers. What an operation does not know it must not come to read or to store.
 */
export function tidied(members: Members, input: object): object {
  const kept = Object.entries(input).filter(
    ([name, member]) => member !== null && member !== undefined && Object.hasOwn(members, name),
  );
  return Object.fromEntries(
    kept.map(([name, member]) => [name, tidiedWithin((members[name] as Members[string]).shape, member)]),
  );
}

function tidiedWithin(shape: Shape, found: unknown): unknown {
  switch (shape.kind) {
    case "structure":
      return tidied(shape.members, found as object);
    case "list":
      return (found as unknown[]).map((element) => tidiedWithin(shape.of, element));
    case "map": {
      const entries = Object.entries(found as object).filter(([, member]) => member !== undefined);
      return Object.fromEntries(entries.map(([name, member]) => [name, tidiedWithin(shape.of, member)]));
    }
    case "number":
      return Math.floor(found as number);
    default:
      return found;
  }
}
