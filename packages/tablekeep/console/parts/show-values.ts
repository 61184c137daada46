/** A number with its noun: `1 item`, `2,000 items`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`;
}

/** A number of bytes for people. */
export function showSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_024 * 1_024) return `${(bytes / 1_024).toFixed(bytes < 10_240 ? 1 : 0)} KB`;
  return `${(bytes / 1_024 / 1_024).toFixed(1)} MB`;
}

const time = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const date = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A time for a narrow column: the hour if it is of today, else the day. `now` is for tests. */
export function shortTime(at: number | string, now: Date = new Date()): string {
  const when = new Date(at);
  if (when.toDateString() === now.toDateString()) return time.format(when);
  return (when.getFullYear() === now.getFullYear() ? day : date).format(when);
}

/** A time to the second. */
export function longTime(at: number | string): string {
  return whole.format(new Date(at));
}
