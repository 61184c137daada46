/** Which messages were read. Ids of later messages sort higher. */
export interface ReadMarks {
  /** This one and all before it count as read. */
  readonly upTo: string;
  readonly ids: ReadonlySet<string>;
}

const mostIds = 2_000;

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

/** Marks this message and all before it. */
export function withReadUpTo(marks: ReadMarks, id: string): ReadMarks {
  if (id <= marks.upTo) return marks;
  return { upTo: id, ids: new Set([...marks.ids].filter((each) => each > id)) };
}
