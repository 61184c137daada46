const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** RFC 3339 in UTC, fractions without trailing zeros, as Go writes it. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0*Z$/, "Z");
}

/** "Sun, 15 Nov 2026 02:11:38 +0000". */
export function rfc1123(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${days[date.getUTCDay()]}, ${two(date.getUTCDate())} ${months[date.getUTCMonth()]}`;
  return `${day} ${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)} +0000`;
}
