import type { LooseEntity } from "../definition/entity-definition.ts";

/** The version that events of this type are written in: one more than there are steps to it. */
export function currentVersion({ upcasters }: LooseEntity, type: string): number {
  return (Object.hasOwn(upcasters, type) ? (upcasters[type]?.steps.length ?? 0) : 0) + 1;
}

/** How type and version stand in the journal: the type alone for version 1, otherwise "type@version". */
export function manifestOf(type: string, version: number): string {
  return version === 1 ? type : `${type}@${version}`;
}

/** The version that a manifest tells for events of this type; 1 if it tells none. */
export function versionIn(manifest: string, type: string): number {
  if (!manifest.startsWith(`${type}@`)) return 1;
  const version = Number(manifest.slice(type.length + 1));
  return Number.isSafeInteger(version) && version > 0 ? version : 1;
}
