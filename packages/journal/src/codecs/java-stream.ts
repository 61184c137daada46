import { ByteReader, decodeModifiedUtf8, MalformedBytes, UnsupportedBytes } from "./bytes.ts";

/** An object of a Java stream: its class, and the fields of the class and its superclasses. */
export interface JavaObject {
  readonly className: string;
  readonly fields: ReadonlyMap<string, JavaValue>;
}

export type JavaValue = null | string | number | bigint | boolean | Uint8Array | JavaObject;

interface JavaClass {
  readonly name: string;
  readonly fields: readonly { readonly type: string; readonly name: string }[];
  readonly above: JavaClass | undefined;
}

const maxDepth = 50;
const plainClass = 2;

/**
 * Reads a stream of Java's serialization that holds one string, one byte array or one object of plain fields. Everything
 * else (other arrays, classes that write themselves, proxies, enums) is unsupported: its meaning is unknown without the class.
 */
export function decodeJavaStream(bytes: Uint8Array): JavaValue {
  const reader = new ByteReader(bytes);
  if (reader.uint32() !== 0xaced0005) throw new UnsupportedBytes("is not a Java stream");
  const value = new JavaStream(reader).value(0);
  if (reader.remaining > 0) throw new UnsupportedBytes("is a Java stream of more than one object");
  return value;
}

class JavaStream {
  readonly #reader: ByteReader;
  /** The values that later parts of the stream may refer to, in the order of the stream. */
  readonly #handles: (JavaValue | JavaClass)[] = [];

  constructor(reader: ByteReader) {
    this.#reader = reader;
  }

  value(depth: number): JavaValue {
    if (depth > maxDepth) throw new UnsupportedBytes(`is nested deeper than ${maxDepth} levels`);
    const tag = this.#reader.uint8();
    if (tag === 0x70) return null;
    if (tag === 0x71) return this.#referredValue();
    if (tag === 0x73) return this.#object(depth);
    if (tag === 0x75) return this.#bytes(depth);
    if (tag === 0x74) return this.#remembered(this.#text(this.#reader.uint16()));
    if (tag === 0x7c) return this.#remembered(this.#text(Number(this.#reader.uint64())));
    throw new UnsupportedBytes(`has the stream element ${tag}`);
  }

  #object(depth: number): JavaObject {
    const description = this.#class(depth + 1);
    if (description === undefined) throw new MalformedBytes("has an object without a class");
    const fields = new Map<string, JavaValue>();
    const object = { className: description.name, fields };
    this.#handles.push(object);
    // The fields of the topmost class come first.
    const chain: JavaClass[] = [];
    for (let at: JavaClass | undefined = description; at !== undefined; at = at.above) chain.unshift(at);
    for (const { fields: declared } of chain) {
      for (const { type, name } of declared) fields.set(name, this.#field(type, depth + 1));
    }
    return object;
  }

  #bytes(depth: number): Uint8Array {
    const description = this.#class(depth + 1);
    if (description?.name !== "[B") throw new UnsupportedBytes("has an array of something other than bytes");
    const place = this.#handles.push(null) - 1;
    const bytes = this.#reader.take(this.#reader.uint32());
    this.#handles[place] = bytes;
    return bytes;
  }

  #class(depth: number): JavaClass | undefined {
    if (depth > maxDepth) throw new UnsupportedBytes(`is nested deeper than ${maxDepth} levels`);
    const tag = this.#reader.uint8();
    if (tag === 0x70) return undefined;
    if (tag === 0x71) return this.#referredClass();
    if (tag !== 0x72) throw new UnsupportedBytes(`has the class description ${tag}`);
    const name = this.#text(this.#reader.uint16());
    this.#reader.skip(8);
    const handle = this.#handles.push({ name, fields: [], above: undefined }) - 1;
    if (this.#reader.uint8() !== plainClass) throw new UnsupportedBytes(`has ${name}, which writes itself`);
    const fields = this.#fields(depth);
    if (this.#reader.uint8() !== 0x78) throw new UnsupportedBytes(`has annotations of ${name}`);
    const description = { name, fields, above: this.#class(depth + 1) };
    this.#handles[handle] = description;
    return description;
  }

  #fields(depth: number): JavaClass["fields"] {
    const count = this.#reader.uint16();
    const fields: { type: string; name: string }[] = [];
    for (let at = 0; at < count; at++) {
      const type = String.fromCharCode(this.#reader.uint8());
      const name = this.#text(this.#reader.uint16());
      if (type === "L" || type === "[") this.value(depth + 1);
      fields.push({ type, name });
    }
    return fields;
  }

  #field(type: string, depth: number): JavaValue {
    if (type === "B") return this.#reader.int8();
    if (type === "C") return String.fromCharCode(this.#reader.uint16());
    if (type === "D") return this.#reader.float64();
    if (type === "F") return this.#reader.float32();
    if (type === "I") return this.#reader.int32();
    if (type === "J") return this.#reader.int64();
    if (type === "S") return this.#reader.int16();
    if (type === "Z") return this.#reader.uint8() !== 0;
    if (type === "L" || type === "[") return this.value(depth);
    throw new MalformedBytes(`has a field of the unknown type ${type}`);
  }

  #text(length: number): string {
    return decodeModifiedUtf8(this.#reader.take(length));
  }

  #remembered(text: string): string {
    this.#handles.push(text);
    return text;
  }

  #referred(): JavaValue | JavaClass {
    const referred = this.#handles[this.#reader.uint32() - 0x7e0000];
    if (referred === undefined) throw new MalformedBytes("refers to nothing");
    return referred;
  }

  #referredValue(): JavaValue {
    const referred = this.#referred();
    if (isClass(referred)) throw new UnsupportedBytes("has a class where a value is expected");
    return referred;
  }

  #referredClass(): JavaClass {
    const referred = this.#referred();
    if (!isClass(referred)) throw new MalformedBytes("refers to something other than a class");
    return referred;
  }
}

function isClass(referred: JavaValue | JavaClass): referred is JavaClass {
  return typeof referred === "object" && referred !== null && "above" in referred;
}
