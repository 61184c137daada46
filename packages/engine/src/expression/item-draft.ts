import { invalid } from "../values/dynamo-errors.ts";
import { copyOwn, getOwn, setOwn, type WireItem, type WireValue } from "../values/wire-value.ts";
import type { Path, PathPart } from "./syntax-tree.ts";

/** The members of a map, or the elements of a list. */
type Holder = Record<string, WireValue> | WireValue[];

/**
 * An item that is being changed. Maps and lists are copied before their first change and only then: one copy for each
 * action of an update would take seconds for large items.
 */
export class ItemDraft {
  #item: WireItem;
  readonly #copies = new Set<unknown>();

  constructor(item: WireItem) {
    this.#item = item;
  }

  get item(): WireItem {
    return this.#item;
  }

  /** Sets the value at a path. An index past the end of a list appends. */
  assign(path: Path, value: WireValue): void {
    const [holder, part] = this.#holderOf(path);
    if (Array.isArray(holder)) holder[Math.min(part as number, holder.length)] = value;
    else setOwn(holder, part as string, value);
  }

  /** Removes the value at a path, if there is one. */
  remove(path: Path): void {
    const [holder, part] = this.#holderOf(path);
    if (Array.isArray(holder)) holder.splice(part as number, 1);
    else delete holder[part as string];
  }

  /** Returns the copy of the map or list in which the path ends, and its last part. Throws if the path leads nowhere. */
  #holderOf(path: Path): readonly [Holder, PathPart] {
    if (!this.#copies.has(this.#item)) this.#item = this.#copied(copyOwn(this.#item));
    let holder: Holder = this.#item as Record<string, WireValue>;
    let part: PathPart = path[0];
    for (const next of path.slice(1)) {
      const value = memberAt(holder, part);
      const content = value && contentAt(value, next);
      if (content === undefined) throw invalidPath();
      const isCopy = this.#copies.has(content);
      const copy: Holder = isCopy ? content : this.#copied(copyHolder(content));
      if (!isCopy) setMember(holder, part, Array.isArray(copy) ? { L: copy } : { M: copy });
      holder = copy;
      part = next;
    }
    return [holder, part];
  }

  #copied<Copy extends Holder>(copy: Copy): Copy {
    this.#copies.add(copy);
    return copy;
  }
}

/** Returns the contents of a map or list into which this part of a path leads. */
function contentAt(value: WireValue, part: PathPart): Holder | undefined {
  if (typeof part === "number") return "L" in value ? (value.L as WireValue[]) : undefined;
  return "M" in value ? (value.M as Record<string, WireValue>) : undefined;
}

function copyHolder(holder: Holder): Holder {
  return Array.isArray(holder) ? [...holder] : copyOwn(holder);
}

function memberAt(holder: Holder, part: PathPart): WireValue | undefined {
  return Array.isArray(holder) ? holder[part as number] : getOwn(holder, part as string);
}

function setMember(holder: Holder, part: PathPart, value: WireValue): void {
  if (Array.isArray(holder)) holder[part as number] = value;
  else setOwn(holder, part as string, value);
}

export function invalidPath(): Error {
  return invalid("The document path provided in the update expression is invalid for update");
}
