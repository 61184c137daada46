/** The Content-ID in an address: some programs escape it. */
export function unescaped(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
