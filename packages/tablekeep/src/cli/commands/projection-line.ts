import type { ProjectionStatus } from "@tablekeep/feed/projections";
import { printable } from "../frame/command-context.ts";
import { grouped } from "../frame/progress.ts";

/** The heading of a list of projections. */
export const headings: string = `${"state".padEnd(8)}${"lag".padStart(10)}  ${"parked".padStart(6)}  name and version`;

/** A projection in one line. */
export function lineOf(status: Omit<ProjectionStatus, "slices">): string {
  const { name, version, versions, state, lagEvents, parked } = status;
  const others = versions.length === 1 ? "" : `  (versions ${versions.join(", ")})`;
  const counts = `${grouped(lagEvents).padStart(10)}  ${grouped(parked).padStart(6)}`;
  return printable(`${state.padEnd(8)}${counts}  ${name} ${version}${others}`);
}
