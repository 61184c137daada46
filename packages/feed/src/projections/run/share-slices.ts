import { type ProjectionVersion, partitionOf, type RunnerRecord } from "../store/projection-items.ts";

/**
 * Returns the slices that a runner should have: all runners that are alive compute the same, without a coordinator. Projections begin with
 * different runners, so that those with few slices are not all in one process.
 */
export function fairShare(
  version: ProjectionVersion,
  slices: number,
  runners: readonly RunnerRecord[],
  me: string,
): Set<number> {
  const name = partitionOf(version);
  const sharing = runners.filter(({ runs }) => runs.has(name)).map(({ runner }) => runner);
  const all = [...new Set([...sharing, me])].toSorted();
  let shift = 7;
  for (let at = 0; at < name.length; at++) shift = (shift * 31 + name.charCodeAt(at)) % 65_521;
  const own = all.indexOf(me);
  const share = new Set<number>();
  for (let slice = 0; slice < slices; slice++) if ((slice + shift) % all.length === own) share.add(slice);
  return share;
}
