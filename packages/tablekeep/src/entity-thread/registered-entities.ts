import type { AnyEntity } from "@tablekeep/entity";

/** Returns the definitions that a module exports, alone or in arrays; other exports do not matter. */
export function definitionsIn(module: object): readonly AnyEntity[] {
  const found = new Set(Object.values(module).flat().filter(isDefinition));
  return [...found];
}

/** `defineEntity` may come from another copy of the package, so a definition is recognized by its members. */
function isDefinition(value: unknown): value is AnyEntity {
  if (typeof value !== "object" || value === null) return false;
  const { type, initial, decide, evolve, persistenceId, upcasters, stateVersion } =
    value as Partial<AnyEntity>;
  return (
    typeof type === "string" &&
    [initial, decide, evolve, persistenceId].every((member) => typeof member === "function") &&
    typeof upcasters === "object" &&
    typeof stateVersion === "number"
  );
}

/** A definition, and the id that the application uses. */
export interface RegisteredEntity {
  readonly definition: AnyEntity;
  readonly id: string;
}

/**
 * Returns the entity with a persistence id; undefined if no definition has it. Definitions only turn ids into persistence ids, so
 * every end of the persistence id is tried; those with the usual form come first.
 */
export function registeredEntity(
  definitions: readonly AnyEntity[],
  persistenceId: string,
): RegisteredEntity | undefined {
  const found = (definition: AnyEntity, id: string): RegisteredEntity | undefined =>
    id !== "" && persistenceIdOf(definition, id) === persistenceId ? { definition, id } : undefined;
  for (const definition of definitions) {
    const prefix = `${definition.type}|`;
    const usual = persistenceId.startsWith(prefix) && found(definition, persistenceId.slice(prefix.length));
    if (usual) return usual;
  }
  for (const definition of definitions)
    for (let at = 0; at < persistenceId.length; at++) {
      const other = found(definition, persistenceId.slice(at));
      if (other !== undefined) return other;
    }
  return undefined;
}

/** Returns undefined for an id that the definition does not accept. */
function persistenceIdOf(definition: AnyEntity, id: string): string | undefined {
  try {
    return definition.persistenceId(id);
  } catch {
    return undefined;
  }
}
