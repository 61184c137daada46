import { checkValue } from "../item/check-item.ts";
import { invalid } from "../item/refuse.ts";
import { getOwn, type WireValue } from "../item/wire-value.ts";
import { ExpressionFault } from "./token-reader.ts";

/** AWS: Limits — the length of a placeholder. */
const maxPlaceholderBytes = 255;

const validName = /^#[A-Za-z0-9_]+$/;
const validValue = /^:[A-Za-z0-9_]+$/;

/** The placeholders of one request, and which of them its expressions use. */
export class Binding {
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Readonly<Record<string, WireValue>>;
  readonly #used = new Set<string>();

  constructor(names: unknown, values: unknown) {
    this.#names = checkPlaceholders("ExpressionAttributeNames", names, validName, boundName);
    this.#values = checkPlaceholders("ExpressionAttributeValues", values, validValue, boundValue);
  }

  name(placeholder: string): string {
    const name = getOwn(this.#names, placeholder);
    if (name === undefined) {
      throw new ExpressionFault(
        `An expression attribute name used in the document path is not defined; attribute name: ${placeholder}`,
      );
    }
    this.#used.add(placeholder);
    return name;
  }

  value(placeholder: string): WireValue {
    const value = getOwn(this.#values, placeholder);
    if (value === undefined) {
      throw new ExpressionFault(
        `An expression attribute value used in expression is not defined; attribute value: ${placeholder}`,
      );
    }
    this.#used.add(placeholder);
    return value;
  }

  /** Throws if a placeholder is given that no expression uses. */
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
  read: (value: unknown, placeholder: string) => Value,
): Record<string, Value> {
  const result: Record<string, Value> = {};
  if (given === undefined || given === null) return result;
  const placeholders = Object.keys(given);
  if (placeholders.length === 0) throw invalid(`${parameter} must not be empty`);
  for (const placeholder of placeholders) {
    if (Buffer.byteLength(placeholder) > maxPlaceholderBytes) {
      throw invalid(
        `${parameter} contains invalid key: The expression attribute map contains a key that is too long; size of key: ${Buffer.byteLength(placeholder)}`,
      );
    }
    if (!valid.test(placeholder)) {
      throw invalid(`${parameter} contains invalid key: Syntax error; key: "${placeholder}"`);
    }
    result[placeholder] = read((given as Record<string, unknown>)[placeholder], placeholder);
  }
  return result;
}

/** AWS: Limits — the length of an attribute's name, which must stay below this. */
const maxNameBytes = 65_536;

function boundName(given: unknown, placeholder: string): string {
  const name = String(given);
  const fault =
    name === ""
      ? "Empty attribute name"
      : Buffer.byteLength(name) >= maxNameBytes
        ? `Attribute name is too large, must be less than ${maxNameBytes} bytes`
        : undefined;
  if (fault === undefined) return name;
  throw invalid(`ExpressionAttributeNames contains invalid value: ${fault} for key ${placeholder}`);
}

function boundValue(value: unknown, placeholder: string): WireValue {
  try {
    return checkValue(value);
  } catch (error) {
    if (!(error instanceof Error) || !("details" in error)) throw error;
    const { exception, serviceMessage } = error.details as { exception: string; serviceMessage: string };
    // What is no attribute value at all is not read as one.
    if (exception === "SerializationException") throw error;
    throw invalid(
      `ExpressionAttributeValues contains invalid value: ${serviceMessage} for key ${placeholder}`,
    );
  }
}
