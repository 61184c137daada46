import { isDynamoError } from "@tablekeep/core";
import { checkName, checkSized, type Sized } from "../values/check-item.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { getOwn, type WireValue } from "../values/wire-value.ts";
import { ExpressionError } from "./tokens.ts";

/** AWS: Limits — the length of a placeholder. */
const maxPlaceholderBytes = 255;

/** AWS: Limits — the length of all placeholders of a request with what they stand for. */
const maxBindingBytes = 2 * 1024 * 1024;

const validName = /^#[A-Za-z0-9_]+$/;
const validValue = /^:[A-Za-z0-9_]+$/;

/** The placeholders of one request, and which of them its expressions use. */
export class Binding {
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Readonly<Record<string, WireValue>>;
  readonly #used = new Set<string>();
  /** The bytes of all values with their placeholders. */
  readonly valueBytes: number;

  /** `bareValues`: errors about a value do not name its placeholder; see `RequestKind`. */
  constructor(names: unknown, values: unknown, bareValues: boolean) {
    const boundValue = (value: unknown, placeholder: string) =>
      bareValues
        ? checkSized(value)
        : withMapContext("ExpressionAttributeValues", placeholder, () => checkSized(value));
    const boundNames = checkPlaceholders("ExpressionAttributeNames", names, validName, checkBoundName);
    const boundValues = checkPlaceholders("ExpressionAttributeValues", values, validValue, boundValue);
    if (boundNames.bytes + boundValues.bytes > maxBindingBytes) {
      throw invalid(
        "Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size",
      );
    }
    this.#names = boundNames.bound;
    this.#values = boundValues.bound;
    this.valueBytes = boundValues.bytes;
  }

  name(placeholder: string): string {
    const name = getOwn(this.#names, placeholder);
    if (name === undefined) {
      throw new ExpressionError(
        `An expression attribute name used in the document path is not defined; attribute name: ${placeholder}`,
      );
    }
    this.#used.add(placeholder);
    return name;
  }

  value(placeholder: string): WireValue {
    const value = getOwn(this.#values, placeholder);
    if (value === undefined) {
      throw new ExpressionError(
        `An expression attribute value used in expression is not defined; attribute value: ${placeholder}`,
      );
    }
    this.#used.add(placeholder);
    return value;
  }

  /** Throws if no expression uses one of the placeholders. */
  checkAllUsed(): void {
    this.#checkUsed("ExpressionAttributeNames", this.#names);
    this.#checkUsed("ExpressionAttributeValues", this.#values);
  }

  #checkUsed(parameter: string, given: Readonly<Record<string, unknown>>): void {
    const unused = Object.keys(given).filter((placeholder) => !this.#used.has(placeholder));
    if (unused.length > 0) {
      throw invalid(`Value provided in ${parameter} unused in expressions: keys: {${unused.join(", ")}}`);
    }
  }
}

function checkPlaceholders<Value>(
  parameter: string,
  given: unknown,
  valid: RegExp,
  read: (value: unknown, placeholder: string) => Sized<Value>,
): { readonly bound: Record<string, Value>; readonly bytes: number } {
  const bound: Record<string, Value> = {};
  let bytes = 0;
  if (given === undefined || given === null) return { bound, bytes };
  const placeholders = Object.keys(given);
  if (placeholders.length === 0) throw invalid(`${parameter} must not be empty`);
  for (const placeholder of placeholders) {
    const length = Buffer.byteLength(placeholder);
    if (length > maxPlaceholderBytes) {
      throw invalid(
        `${parameter} contains invalid key: The expression attribute map contains a key that is too long; size of key: ${length}`,
      );
    }
    if (!valid.test(placeholder)) {
      throw invalid(`${parameter} contains invalid key: Syntax error; key: "${placeholder}"`);
    }
    const { value, size } = read((given as Record<string, unknown>)[placeholder], placeholder);
    bound[placeholder] = value;
    bytes += length + size;
  }
  if (bytes > maxBindingBytes) throw invalid(`${parameter} exceeds max size`);
  return { bound, bytes };
}

function checkBoundName(given: unknown, placeholder: string): Sized<string> {
  const value = String(given);
  return withMapContext("ExpressionAttributeNames", placeholder, () => ({ value, size: checkName(value) }));
}

/** Checks one value of a map; an error names the map and the key. */
function withMapContext<Result>(parameter: string, placeholder: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    // Something that is not an attribute value at all stays a SerializationException.
    if (!isDynamoError(error, "ValidationException")) throw error;
    const { serviceMessage } = error.details;
    throw invalid(`${parameter} contains invalid value: ${serviceMessage} for key ${placeholder}`);
  }
}

/** A parsed expression with its placeholders; given a binding, it returns a tree. It is parsed once and bound often. */
export type Template<Tree> = (binding: Binding) => Tree;

/** The cache's size. Programs use few expressions; one that builds them from data must not fill the memory. */
const maxTemplates = 1000;

/** Caches what `parse` returns for an expression. */
export function memoize<Parsed>(parse: (expression: string) => Parsed): (expression: string) => Parsed {
  const known = new Map<string, Parsed>();
  return (expression) => {
    let parsed = known.get(expression);
    if (parsed === undefined) {
      parsed = parse(expression);
      if (known.size >= maxTemplates) known.clear();
      known.set(expression, parsed);
    }
    return parsed;
  };
}
