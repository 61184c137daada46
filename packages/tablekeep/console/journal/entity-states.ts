import { ApiError } from "../api/call-api.ts";
import type { FoldedState, FoldStates } from "./fold-states.ts";
import { type EntityAddress, fetchState, type JournalFacts } from "./journal-api.ts";

/** The entity of an id, or why its states cannot be rebuilt; neither if the server has no definition for it. */
export interface FoundEntity {
  readonly entity?: EntityAddress;
  readonly failure?: string;
}

/** Finds the entity of an id. */
export async function findEntity(
  { entities = [] }: JournalFacts,
  path: string,
  signal: AbortSignal,
): Promise<FoundEntity> {
  if (entities.length === 0) return {};
  try {
    return { entity: (await fetchState(path, 0, signal)).entity };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error;
    return error.code === "SERVER_ENTITY_UNKNOWN" ? {} : { failure: error.message };
  }
}

/** States of an id by the definition of its entity, which the server rebuilds. */
export function entityStates(path: string): FoldStates {
  return {
    async at(wanted, signal) {
      const states = new Map<number, FoldedState>();
      for (const sequenceNr of new Set(wanted))
        states.set(sequenceNr, { value: (await fetchState(path, sequenceNr, signal)).state });
      return states;
    },
    close() {},
  };
}
