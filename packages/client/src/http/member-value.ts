/** What a member of an answer becomes that JSON has as `value`: bytes where it holds base64. */
export function memberValue(name: string, value: unknown): unknown {
  // A text under `B` can only be a value of type B: what an attribute called `B` holds is an object.
  if (typeof value === "string") return name === "B" ? fromBase64(value) : value;
  return name === "BS" && isTextList(value) ? value.map(fromBase64) : value;
}

/** A set of bytes, not the list under an attribute of that name, whose elements are objects. */
function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((element) => typeof element === "string");
}

/** An array of its own, not a part of a buffer shared with others: the caller may keep or transfer it. */
function fromBase64(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text, "base64"));
  const length = bytes.write(text, "base64");
  return length === bytes.length ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes.subarray(0, length));
}
