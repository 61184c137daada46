/** A name as one segment of an API path. The browser would remove `.` and `..`; the server decodes `,.` and `,..` as these. */
export function pathPart(name: string): string {
  return name === "." || name === ".." ? `,${name}` : encodeURIComponent(name);
}
