import { bytesSize } from "../item/item-size.ts";
import { contentOf, tagOf, type WireValue } from "../item/wire-value.ts";

/** AWS: size — characters of text, bytes of binary, elements of the rest; scalars have no size. */
export function sizeOf(value: WireValue): WireValue | undefined {
  const content = contentOf(value);
  switch (tagOf(value)) {
    case "S":
      return { N: String((content as string).length) };
    case "B":
      return { N: String(bytesSize(content as string)) };
    case "M":
      return { N: String(Object.keys(content as object).length) };
    case "SS":
    case "NS":
    case "BS":
    case "L":
      return { N: String((content as readonly unknown[]).length) };
    default:
      return undefined;
  }
}
