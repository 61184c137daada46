import { canonicalNumber, type Item, type Key } from "@tablekeep/core";

/** One item as it was before a write. */
export interface ItemImage {
  readonly table: string;
  readonly key: Key;
  /** Undefined where there was no item. */
  readonly before: Item | undefined;
}

/** What items were before the last writes, and what queries answered then. Bounded: the oldest is forgotten. */
export interface ChangeMemory {
  /** How many writes there have been. */
  readonly writes: () => number;
  /** Records one more write. */
  remember(images: readonly ItemImage[]): void;
  /** The item as it was after that many writes, if it has changed since. */
  asOf(table: string, key: Key, writes: number): { readonly item: Item | undefined } | undefined;
  /** Records an answer that was true after that many writes. */
  rememberAnswer(question: string, writes: number, answer: object): void;
  /** The oldest answer to this question that was true after that many writes or later, before the last one. */
  earlierAnswer(question: string, writes: number): object | undefined;
}

interface Dated<Content> {
  readonly writes: number;
  readonly content: Content;
}

/** How many states of one item, and answers to one question, are kept. */
const depth = 64;
/** How many items and questions are kept. */
const breadth = 10_000;

/** An empty memory. */
export function changeMemory(): ChangeMemory {
  let writes = 0;
  const images = new Map<string, Dated<Item | undefined>[]>();
  const answers = new Map<string, Dated<object>[]>();
  return {
    writes: () => writes,
    remember(changed) {
      for (const { table, key, before } of changed)
        add(images, keyIdentity(table, key), { writes, content: before });
      writes++;
    },
    asOf(table, key, after) {
      const found = images.get(keyIdentity(table, key))?.find((image) => image.writes >= after);
      return found && { item: found.content };
    },
    rememberAnswer: (question, after, answer) => add(answers, question, { writes: after, content: answer }),
    earlierAnswer(question, after) {
      const found = answers.get(question)?.find((each) => each.writes >= after);
      return found && found.writes < writes ? found.content : undefined;
    },
  };
}

function add<Content>(memory: Map<string, Dated<Content>[]>, name: string, entry: Dated<Content>): void {
  const entries = memory.get(name) ?? [];
  entries.push(entry);
  if (entries.length > depth) entries.shift();
  memory.set(name, entries);
  const [oldest] = memory.keys();
  if (memory.size > breadth && oldest !== undefined) memory.delete(oldest);
}

/** One text for each item of each table, however its key is written. */
export function keyIdentity(table: string, key: Key): string {
  const normal = Object.entries(key).map(([name, value]) => [
    name,
    value.N === undefined ? value : { N: canonicalNumber(value.N) },
  ]);
  return `${table} ${canonicalJson(Object.fromEntries(normal))}`;
}

/** JSON in which equal values compare equal: members in order, absent ones left out, bytes as base64. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, each: unknown) {
    // A Buffer arrives as what its own toJSON made of it; its holder has it as it is.
    const held = this[name];
    if (held instanceof Uint8Array) return { bytes: Buffer.from(held).toString("base64") };
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
