import type { AttributeValue } from "@tablekeep/core";
import { type DocumentValue, type OpenObject, setKey } from "./document-value.ts";
import { numberOf } from "./exact-number.ts";

/** The document's value of an attribute value. */
export function fromAttribute(value: AttributeValue): DocumentValue {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return numberOf(value.N);
  if (value.M !== undefined) {
    const object: OpenObject = {};
    for (const key of Object.keys(value.M))
      setKey(object, key, fromAttribute(value.M[key] as AttributeValue));
    return object;
  }
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.L !== undefined) return value.L.map(fromAttribute);
  if (value.B !== undefined) return value.B;
  if (value.SS !== undefined) return new Set(value.SS);
  if (value.NS !== undefined) return new Set(value.NS.map(numberOf));
  if (value.BS !== undefined) return new Set(value.BS);
  return null;
}
