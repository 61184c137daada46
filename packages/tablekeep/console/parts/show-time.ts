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
