import { createStore, type Store } from "../shell/store.ts";

/** Which messages were read in this browser. Ids of later messages sort higher. */
export interface ReadMarks {
  /** This one and all before it count as read. */
  readonly upTo: string;
  readonly ids: ReadonlySet<string>;
}

const key = "tablekeep.mail.read";
const mostIds = 2_000;

/** The marks of this browser. Servers do not know of them. */
export const readMarks: Store<ReadMarks> = createStore(remembered());

export function isRead({ upTo, ids }: ReadMarks, id: string): boolean {
  return id <= upTo || ids.has(id);
}

/** Marks a message as read. With too many marks the older half becomes one: all up to there are read. */
export function withRead(marks: ReadMarks, id: string): ReadMarks {
  if (isRead(marks, id)) return marks;
  const ids = [...marks.ids, id];
  if (ids.length <= mostIds) return { ...marks, ids: new Set(ids) };
  const sorted = ids.toSorted();
  const half = Math.floor(sorted.length / 2);
  return { upTo: sorted[half - 1] ?? marks.upTo, ids: new Set(sorted.slice(half)) };
}

export function markRead(id: string): void {
  keep(withRead(readMarks.get(), id));
}

/** Marks this message and all before it. */
export function markReadUpTo(id: string): void {
  keep({ upTo: id, ids: new Set([...readMarks.get().ids].filter((each) => each > id)) });
}

function keep(marks: ReadMarks): void {
  readMarks.set(marks);
  try {
    localStorage.setItem(key, JSON.stringify({ upTo: marks.upTo, ids: [...marks.ids] }));
  } catch {
    // A browser that keeps nothing forgets with the page.
  }
}

function remembered(): ReadMarks {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    const { upTo = "", ids = [] } = kept as { upTo?: unknown; ids?: unknown };
    const known = Array.isArray(ids) ? ids.filter((each) => typeof each === "string") : [];
    return { upTo: typeof upTo === "string" ? upTo : "", ids: new Set(known) };
  } catch {
    return { upTo: "", ids: new Set() };
  }
}
