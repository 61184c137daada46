import { type DocumentValue, isList, isObject, valueAt } from "./document-value.ts";
import { ExactNumber, numberOf } from "./exact-number.ts";

/** Whether two values are the same: objects by their keys, lists by their elements, numbers by their value. */
export function isSameValue(one: DocumentValue | undefined, other: DocumentValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one === "bigint") return typeof other === "number" && isSameWhole(other, one);
  if (typeof other === "bigint") return typeof one === "number" && isSameWhole(one, other);
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (isList(one))
    return (
      isList(other) && one.length === other.length && one.every((each, at) => isSameValue(each, other[at]))
    );
  if (isObject(one)) {
    if (!isObject(other)) return false;
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && isSameValue(valueAt(one, key), valueAt(other, key)))
    );
  }
  if (one instanceof ExactNumber) return other instanceof ExactNumber && one.text === other.text;
  if (one instanceof Uint8Array) return other instanceof Uint8Array && Buffer.compare(one, other) === 0;
  return one instanceof Set && other instanceof Set && isSameSet(one, other);
}

/** Whether both are written with the same digits: a number is what it prints, not the fraction of powers of two that it holds. */
function isSameWhole(number: number, whole: bigint): boolean {
  return numberOf(String(whole)) === number;
}

function isSameSet(one: ReadonlySet<DocumentValue>, other: ReadonlySet<DocumentValue>): boolean {
  const others = [...other];
  return (
    one.size === other.size && [...one].every((each) => others.some((value) => isSameValue(each, value)))
  );
}
