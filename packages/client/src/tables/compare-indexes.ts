import type {
  GlobalSecondaryIndexDescription,
  LocalSecondaryIndexDescription,
  Projection,
  TableDescription,
} from "@tablekeep/core";
import { projectionInput } from "./create-table-input.ts";
import {
  breaking,
  compareKeys,
  note,
  type TableAspect,
  type TableDifference,
  updatable,
} from "./table-difference.ts";
import type { IndexProjection, TableSpec } from "./table-spec.ts";

/** Compares the local and global indexes of a specification with those of a table. */
export function compareIndexes(spec: TableSpec, table: TableDescription): TableDifference[] {
  return [...compareLocalIndexes(spec, table), ...compareGlobalIndexes(spec, table)];
}

function compareLocalIndexes(spec: TableSpec, table: TableDescription): TableDifference[] {
  const wanted = spec.localIndexes ?? [];
  const present = table.LocalSecondaryIndexes ?? [];
  return [
    ...wanted.flatMap((index) => {
      const owner = `the local index ${index.name}`;
      const found = present.find(({ IndexName }) => IndexName === index.name);
      if (found === undefined) {
        return [
          breaking(
            "local-index",
            `${owner} is missing; it can only be created together with the table, so the table must be created again`,
          ),
        ];
      }
      const keys = { HASH: spec.partitionKey, RANGE: index.sortKey };
      return [
        ...compareKeys("local-index", owner, keys, found.KeySchema, table.AttributeDefinitions),
        ...compareProjection("local-index", owner, index.projection, found.Projection),
      ];
    }),
    ...extraIndexes("local", wanted, present),
  ];
}

function compareGlobalIndexes(spec: TableSpec, table: TableDescription): TableDifference[] {
  const wanted = spec.globalIndexes ?? [];
  const present = table.GlobalSecondaryIndexes ?? [];
  return [
    ...wanted.flatMap((index) => {
      const owner = `the global index ${index.name}`;
      const found = present.find(({ IndexName }) => IndexName === index.name);
      if (found === undefined) return [updatable(breaking("global-index", `${owner} is missing`))];
      const keys = { HASH: index.partitionKey, RANGE: index.sortKey };
      return [
        ...compareStatus(owner, found),
        ...compareKeys("global-index", owner, keys, found.KeySchema, table.AttributeDefinitions),
        ...compareProjection("global-index", owner, index.projection, found.Projection),
      ];
    }),
    ...extraIndexes("global", wanted, present),
  ];
}

function compareStatus(owner: string, index: GlobalSecondaryIndexDescription): TableDifference[] {
  if (index.IndexStatus === "DELETING") return [breaking("global-index", `${owner} is being deleted`)];
  if (index.IndexStatus !== "CREATING") return [];
  const doing = index.Backfilling ? "is being filled with the items of the table" : "is being created";
  return [updatable(breaking("global-index", `${owner} ${doing}; it cannot be queried until it is ACTIVE`))];
}

function extraIndexes(
  kind: "local" | "global",
  wanted: readonly { readonly name: string }[],
  present: readonly (LocalSecondaryIndexDescription | GlobalSecondaryIndexDescription)[],
): TableDifference[] {
  const names = new Set(wanted.map(({ name }) => name));
  return present
    .filter(({ IndexName }) => !names.has(IndexName ?? ""))
    .map(({ IndexName }) =>
      note(
        `${kind}-index`,
        `the ${kind} index ${IndexName} is not in the specification; it adds to the cost of writes`,
      ),
    );
}

function compareProjection(
  aspect: TableAspect,
  owner: string,
  wanted: IndexProjection = "ALL",
  actual: Projection = {},
): TableDifference[] {
  const missing = missingFrom(wanted, actual);
  if (missing !== undefined) {
    return [
      breaking(aspect, `${owner} projects ${describeProjection(actual)}; it should also project ${missing}`),
    ];
  }
  if (missingFrom(projectionOf(actual), projectionInput(wanted)) === undefined) return [];
  return [
    note(
      aspect,
      `${owner} projects ${describeProjection(actual)}, more than the specified ${describeProjection(projectionInput(wanted))}`,
    ),
  ];
}

/** Describes which of `wanted` a projection lacks; undefined if it has all. */
function missingFrom(wanted: IndexProjection, actual: Projection): string | undefined {
  if (actual.ProjectionType === "ALL" || wanted === "KEYS_ONLY") return undefined;
  if (wanted === "ALL") return "all other attributes";
  const present = new Set(actual.NonKeyAttributes ?? []);
  const missing = wanted.filter((attribute) => !present.has(attribute));
  return missing.length === 0 ? undefined : missing.join(", ");
}

function projectionOf(actual: Projection): IndexProjection {
  return actual.ProjectionType === "INCLUDE"
    ? (actual.NonKeyAttributes ?? [])
    : (actual.ProjectionType ?? "ALL");
}

function describeProjection(projection: Projection): string {
  if (projection.ProjectionType === "ALL") return "all attributes";
  if (projection.ProjectionType === "KEYS_ONLY") return "keys only";
  return `keys and ${(projection.NonKeyAttributes ?? []).join(", ")}`;
}
