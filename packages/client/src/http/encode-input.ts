/**
 * Returns the body of a request: JSON, with bytes of `B` and `BS` as base64, without members that are undefined. Input without
 * bytes is passed to `JSON.stringify` as it is. Nothing is copied into other objects.
 */
export function encodeInput(input: object): Buffer {
  if (!holdsBytes(input)) return Buffer.from(JSON.stringify(input));
  const writer = new BodyWriter();
  writer.value(input);
  return writer.body();
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

/** From this many characters on base64 is copied into the body on its own: JSON and UTF-8 would look at each of them. */
const longBase64 = 512;

/** Writes JSON piece by piece. */
class BodyWriter {
  #text = "";
  /** Alternates: JSON, then a long base64 that follows it. */
  readonly #pieces: string[] = [];

  value(value: unknown): void {
    if (typeof value !== "object" || value === null || !holdsBytes(value))
      this.#text += JSON.stringify(value) ?? "null";
    else if (Array.isArray(value)) this.#list(value);
    // Bytes elsewhere than in `B` and `BS` are for DynamoDB to reject.
    else if (ArrayBuffer.isView(value)) this.#text += JSON.stringify(value);
    else this.#object(value as Record<string, unknown>);
  }

  body(): Buffer {
    if (this.#pieces.length === 0) return Buffer.from(this.#text);
    this.#pieces.push(this.#text);
    let length = 0;
    this.#pieces.forEach((piece, at) => {
      length += at % 2 === 1 ? piece.length : Buffer.byteLength(piece);
    });
    const body = Buffer.allocUnsafeSlow(length);
    let end = 0;
    this.#pieces.forEach((piece, at) => {
      end += body.write(piece, end, at % 2 === 1 ? "latin1" : "utf8");
    });
    return body;
  }

  #object(value: Record<string, unknown>): void {
    let separator = "{";
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined) continue;
      this.#text += `${separator}${JSON.stringify(name)}:`;
      separator = ",";
      if (name === "B" && ArrayBuffer.isView(member)) this.#base64(member);
      else if (name === "BS" && Array.isArray(member)) this.#set(member);
      else this.value(member);
    }
    this.#text += separator === "{" ? "{}" : "}";
  }

  #list(list: readonly unknown[]): void {
    this.#text += "[";
    for (let at = 0; at < list.length; at++) {
      if (at > 0) this.#text += ",";
      this.value(list[at]);
    }
    this.#text += "]";
  }

  #set(list: readonly unknown[]): void {
    this.#text += "[";
    for (let at = 0; at < list.length; at++) {
      if (at > 0) this.#text += ",";
      const element = list[at];
      if (ArrayBuffer.isView(element)) this.#base64(element);
      else this.value(element);
    }
    this.#text += "]";
  }

  #base64(bytes: ArrayBufferView): void {
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
    if (base64.length < longBase64) {
      this.#text += `"${base64}"`;
      return;
    }
    this.#pieces.push(`${this.#text}"`, base64);
    this.#text = '"';
  }
}
