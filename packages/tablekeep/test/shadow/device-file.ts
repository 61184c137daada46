import { readFileSync } from "node:fs";

/** A file of the test devices: `lamp` has a certificate of `ca`, and `thief` one that it signed itself. */
export function deviceFile(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/mqtt/${name}`, import.meta.url));
}
