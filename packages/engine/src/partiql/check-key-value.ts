import { keySize, maxHashBytes, maxRangeBytes } from "../catalog/key-limits.ts";
import type { KeyAttribute } from "../catalog/table-model.ts";
import { invalid, invalidParameter } from "../item/refuse.ts";
import { contentOf, tagOf, type WireValue } from "../item/wire-value.ts";

/** Throws if a value is not of the type of the key attribute that it is compared with. */
export function checkKeyType({ name, type }: KeyAttribute, value: WireValue): void {
  if (tagOf(value) === type) return;
  throw invalid(`Key attribute's data type should match its data type in table's schema: Key ${name}`);
}

/** Throws if a value can be no key: of another type, empty or too long. */
export function checkKeyValue(attribute: KeyAttribute, value: WireValue, kind: "HASH" | "RANGE"): void {
  checkKeyType(attribute, value);
  if (contentOf(value) === "") {
    throw invalid(
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty " +
        `${attribute.type === "S" ? "string" : "binary"} value. Key: ${attribute.name}`,
    );
  }
  if (keySize(value) <= (kind === "HASH" ? maxHashBytes : maxRangeBytes)) return;
  throw invalidParameter(
    kind === "HASH"
      ? `Size of hashkey has exceeded the maximum size limit of${maxHashBytes} bytes`
      : `Aggregated size of all range keys has exceeded the size limit of ${maxRangeBytes} bytes`,
  );
}
