/** The suite's assertions. They throw `node:assert` errors, which every test runner prints well. */
import assert from "node:assert/strict";
import { type DynamoError, type DynamoExceptionName, isDynamoError } from "@tablekeep/core";

/** Expects a rejection with this exception and, if given, with `text` in DynamoDB's message. Returns the error. */
export async function rejects<Exception extends DynamoExceptionName>(
  call: Promise<unknown>,
  exception: Exception,
  text?: string | RegExp,
): Promise<DynamoError<Exception>> {
  const error = await call.then(
    () => assert.fail(`was accepted; expected a rejection with ${exception}`),
    (reason: unknown) => reason,
  );
  if (!isDynamoError(error)) throw error;
  assert.equal(
    error.details.exception,
    exception,
    `${error.details.exception}: ${error.details.serviceMessage}`,
  );
  const words = error.details.serviceMessage;
  if (typeof text === "string")
    assert.ok(words.includes(text), `message is «${words}», expected «${text}» in it`);
  if (text instanceof RegExp) assert.match(words, text);
  return error as DynamoError<Exception>;
}

/** Expects equality, ignoring the order of elements in sets of attribute values. */
export function same(actual: unknown, expected: unknown, message?: string): void {
  assert.deepEqual(normal(actual), normal(expected), message);
}

/** Plain data with sets sorted, absent members dropped and byte arrays as plain `Uint8Array`s. */
function normal(value: unknown): unknown {
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    entries.map(([key, each]) => [key, isSet(key, each) ? sorted(each) : normal(each)]),
  );
}

function isSet(key: string, value: unknown): value is unknown[] {
  return (key === "SS" || key === "NS" || key === "BS") && Array.isArray(value);
}

function sorted(set: unknown[]): unknown[] {
  return set.map(normal).sort((a, b) => (String(a) < String(b) ? -1 : 1));
}
