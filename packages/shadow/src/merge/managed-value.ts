import { type DocumentValue, isObject, valueAt } from "../document/document-value.ts";

/** A value that says itself when it was measured. */
export interface ManagedValue {
  readonly value: DocumentValue;
  /** Nanoseconds since 1970. */
  readonly at: bigint;
}

/**
 * A value that carries its own time: an object of just `value` and `timestamp`, in any case (the original writes `Value` and
 * `Timestamp`). The timestamp is RFC 3339 text, with up to nanoseconds, or a number of milliseconds since 1970.
 */
export function managedValue(value: DocumentValue | undefined): ManagedValue | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  if (keys.length !== 2) return undefined;
  const named = (name: string) => {
    const key = keys.find((each) => each.toLowerCase() === name);
    return key === undefined ? undefined : valueAt(value, key);
  };
  const [inner, timestamp] = [named("value"), named("timestamp")];
  const at = nanosecondsOf(timestamp);
  return inner === undefined || at === undefined ? undefined : { value: inner, at };
}

const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/i;

/** A time as nanoseconds since 1970; undefined for what is none. */
function nanosecondsOf(timestamp: DocumentValue | undefined): bigint | undefined {
  if (typeof timestamp === "number") {
    const microseconds = Math.round(timestamp * 1000);
    return Number.isFinite(microseconds) ? BigInt(microseconds) * 1000n : undefined;
  }
  if (typeof timestamp !== "string") return undefined;
  const [, moment, fraction = "", zone] = rfc3339.exec(timestamp) ?? [];
  if (moment === undefined || zone === undefined) return undefined;
  const milliseconds = Date.parse(`${moment}${zone}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
