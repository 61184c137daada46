import { closeSync, openSync } from "node:fs";
import { expect } from "vitest";

/**
 * Redirects a descriptor of this process to another file. A new one gets the lowest free number, so that lower ones are occupied
 * first.
 */
export function redirectDescriptor(descriptor: number, file: string, flags: "r" | "r+"): void {
  closeSync(descriptor);
  const fillers: number[] = [];
  let opened = openSync(file, flags);
  while (opened !== descriptor && fillers.length < 1000) {
    fillers.push(opened);
    opened = openSync(file, flags);
  }
  for (const filler of fillers) closeSync(filler);
  expect(opened).toBe(descriptor);
}
