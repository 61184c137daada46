import type { DocumentObject, Rollout } from "@tablekeep/shadow";

/** A rollout as our own API and the command line show it. */
export function rolloutDocument(rollout: Rollout): DocumentObject {
  const { name, query, shadow, desired, gate, phase, reason, wave, waves, createdAt } = rollout;
  return {
    name,
    phase,
    ...(reason !== undefined && { reason }),
    wave,
    waves,
    query,
    shadow,
    desired,
    gate: { ...gate },
    createdAt: new Date(createdAt).toISOString(),
  };
}
