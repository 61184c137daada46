import { createStore, type Store } from "../shell/store.ts";
import { type ReadMarks, withRead, withReadUpTo } from "./read-marks.ts";

const key = "tablekeep.mail.read";

/** The read marks of this browser. They are not sent to the server. */
export const readMarks: Store<ReadMarks> = createStore(remembered());

export function markRead(id: string): void {
  keep(withRead(readMarks.get(), id));
}

/** Marks this message and all before it. */
export function markReadUpTo(id: string): void {
  keep(withReadUpTo(readMarks.get(), id));
}

function keep(marks: ReadMarks): void {
  if (marks === readMarks.get()) return;
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
