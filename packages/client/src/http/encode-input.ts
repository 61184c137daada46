/**
 * The JSON text of a request. Bytes of `B` and `BS` become base64; members that are undefined are left out. Input without
 * bytes, the ordinary case, is looked through once and handed to `JSON.stringify` as it is: nothing is copied.
 */
export function encodeInput(input: object): string {
  return JSON.stringify(holdsBytes(input) ? withBase64(input) : input);
}

/** Whether there are bytes anywhere inside. Allocates nothing. */
function holdsBytes(value: object): boolean {
  if (ArrayBuffer.isView(value)) return true;
  if (Array.isArray(value)) {
    for (const element of value) {
      if (typeof element === "object" && element !== null && holdsBytes(element)) return true;
    }
    return false;
  }
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (typeof member === "object" && member !== null && holdsBytes(member)) return true;
  }
  return false;
}

/** A copy with base64 text in place of the bytes of `B` and `BS`. Bytes elsewhere stay, for DynamoDB to reject. */
function withBase64(value: object): object {
  if (ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value))
    return value.map((element: unknown) => (isObject(element) ? withBase64(element) : element));
  // No prototype: an attribute may be called `__proto__`.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(value)) {
    if (name === "B" && ArrayBuffer.isView(member)) copy[name] = base64(member);
    else if (name === "BS" && Array.isArray(member))
      copy[name] = member.map((element) => (ArrayBuffer.isView(element) ? base64(element) : element));
    else copy[name] = isObject(member) ? withBase64(member) : member;
  }
  return copy;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function base64(bytes: ArrayBufferView): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
