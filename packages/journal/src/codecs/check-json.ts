import { type JsonDialect, maxJsonDepth } from "./json-dialect.ts";
import { payloadRefused } from "./payload-errors.ts";

/**
 * Refuses what JSON would drop or change without a word: undefined, NaN, dates, bigints, bytes, maps, sets, instances of
 * classes, symbols, functions, holes, cycles. Tells whether `JSON.stringify` writes the rest exactly; it does not write
 * -0, bigints, and numbers that a reader of big integers would take for those.
 */
export function checkJson(payload: unknown, dialect: JsonDialect): boolean {
  return new JsonCheck(dialect).value(payload);
}

class JsonCheck {
  readonly #dialect: JsonDialect;
  /** The way to the value that is being looked at. */
  readonly #steps: (string | number)[] = [];

  constructor(dialect: JsonDialect) {
    this.#dialect = dialect;
  }

  value(value: unknown): boolean {
    if (value === null || typeof value === "string" || typeof value === "boolean") return true;
    if (typeof value === "number") return this.#number(value);
    if (typeof value === "object") return Array.isArray(value) ? this.#list(value) : this.#object(value);
    if (typeof value === "undefined") throw this.#refused("is undefined, which JSON does not have");
    if (typeof value === "bigint" && this.#dialect.bigIntegers) return false;
    throw this.#refused(`is a ${typeof value}, which JSON does not have (convert it first)`);
  }

  #number(value: number): boolean {
    if (!Number.isFinite(value)) throw this.#refused(`is ${value}, which JSON does not have`);
    if (Object.is(value, -0)) return false;
    return !this.#dialect.bigIntegers || !Number.isInteger(value) || Number.isSafeInteger(value);
  }

  #list(list: readonly unknown[]): boolean {
    let exact = true;
    for (let at = 0; at < list.length; at++) exact = this.#member(at, list[at]) && exact;
    return exact;
  }

  #object(object: object): boolean {
    if (!isPlain(object))
      throw this.#refused(`is a ${object.constructor?.name ?? "object"}, not plain data (convert it first)`);
    if (Object.getOwnPropertySymbols(object).length > 0)
      throw this.#refused("has a symbol as a property, which JSON does not have");
    let exact = true;
    for (const name of Object.keys(object)) {
      const member = (object as Record<string, unknown>)[name];
      if (member === undefined && this.#dialect.omitUndefined) continue;
      exact = this.#member(name, member) && exact;
    }
    return exact;
  }

  #member(step: string | number, value: unknown): boolean {
    this.#steps.push(step);
    if (this.#steps.length > maxJsonDepth)
      throw this.#refused(`lies deeper than ${maxJsonDepth} levels, or is part of itself`);
    const exact = this.value(value);
    this.#steps.pop();
    return exact;
  }

  #refused(reason: string): Error {
    // The end of a way that leads in circles says nothing more.
    const path = this.#steps.slice(0, 20).map(stepText).join("");
    return payloadRefused(this.#dialect.serializerId, `payload${path}`, reason);
  }
}

/** Plain objects have no prototype, or one that has none: that of this realm, or of another. */
function isPlain(value: object): boolean {
  if ("toJSON" in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
}

function stepText(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}
