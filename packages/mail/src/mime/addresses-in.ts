/** More addresses than that in the headers of one message are not indexed. */
const maxAddresses = 100;

const address = /[^\s<>,;:"'()[\]\\]{1,256}@[^\s<>,;:"'()\\]{1,256}/g;

/** The addresses in the values of headers, in lower case, each once. */
export function addressesIn(values: readonly string[]): string[] {
  const found = new Set<string>();
  for (const value of values) {
    for (const [text] of value.slice(0, 65_536).matchAll(address)) {
      if (found.size >= maxAddresses) return [...found];
      found.add(text.toLowerCase());
    }
  }
  return [...found];
}
