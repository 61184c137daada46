import type {
  GlobalSecondaryIndexDescription,
  LocalSecondaryIndexDescription,
  Projection,
  TableDescription,
} from "@tablekeep/core";
import { projectionInput } from "./create-table-input.ts";
import { breaking, compareKeys, note, type TableDifference, updatable } from "./table-difference.ts";
import type { IndexProjection, TableSpec } from "./table-spec.ts";

/** Compares the local and global indexes of a specification with those of a table. */
export function compareIndexes(spec: TableSpec, table: TableDescription): TableDifference[] {
  return [...compareLocalIndexes(spec, table), ...compareGlobalIndexes(spec, table)];
}

/** An index, and how a sentence about it begins. */
type IndexOwner = ReturnType<typeof ownerOf>;

const ownerOf = (kind: "local" | "global", name: string) =>
  ({ aspect: `${kind}-index`, name, words: `the ${kind} index ${name}` }) as const;

const whatOf = ({ aspect, name }: IndexOwner) => ({ aspect, name });

function compareLocalIndexes(spec: TableSpec, table: TableDescription): TableDifference[] {
  const wanted = spec.localIndexes ?? [];
  const present = table.LocalSecondaryIndexes ?? [];
  return [
    ...wanted.flatMap((index) => {
      const owner = ownerOf("local", index.name);
      const found = present.find(({ IndexName }) => IndexName === index.name);
      if (found === undefined) {
        return [
          breaking(
            { ...whatOf(owner), problem: "missing" },
            `${owner.words} is missing; it can only be created together with the table, so the table must be created again`,
          ),
        ];
      }
      const keys = { HASH: spec.partitionKey, RANGE: index.sortKey };
      return [
        ...compareKeys(owner, keys, found.KeySchema, table.AttributeDefinitions),
        ...compareProjection(owner, index.projection, found.Projection),
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
      const owner = ownerOf("global", index.name);
      const found = present.find(({ IndexName }) => IndexName === index.name);
      if (found === undefined)
        return [updatable(breaking({ ...whatOf(owner), problem: "missing" }, `${owner.words} is missing`))];
      const keys = { HASH: index.partitionKey, RANGE: index.sortKey };
      return [
        ...compareStatus(owner, found),
        ...compareKeys(owner, keys, found.KeySchema, table.AttributeDefinitions),
        ...compareProjection(owner, index.projection, found.Projection),
      ];
    }),
    ...extraIndexes("global", wanted, present),
  ];
}

function compareStatus(owner: IndexOwner, index: GlobalSecondaryIndexDescription): TableDifference[] {
  if (index.IndexStatus === "DELETING")
    return [breaking({ ...whatOf(owner), problem: "deleting" }, `${owner.words} is being deleted`)];
  if (index.IndexStatus !== "CREATING") return [];
  const doing = index.Backfilling ? "is being filled with the items of the table" : "is being created";
  const message = `${owner.words} ${doing}; it cannot be queried until it is ACTIVE`;
  return [updatable(breaking({ ...whatOf(owner), problem: "building" }, message))];
}

function extraIndexes(
  kind: "local" | "global",
  wanted: readonly { readonly name: string }[],
  present: readonly (LocalSecondaryIndexDescription | GlobalSecondaryIndexDescription)[],
): TableDifference[] {
  const names = new Set(wanted.map(({ name }) => name));
  return present.flatMap(({ IndexName = "" }) => {
    if (names.has(IndexName)) return [];
    const owner = ownerOf(kind, IndexName);
    const message = `${owner.words} is not in the specification; it adds to the cost of writes`;
    return [note({ ...whatOf(owner), problem: "unspecified" }, message)];
  });
}

function compareProjection(
  owner: IndexOwner,
  wanted: IndexProjection = "ALL",
  present: Projection = {},
): TableDifference[] {
  const actual = describeProjection(present);
  const expected = describeProjection(projectionInput(wanted));
  const what = { ...whatOf(owner), part: "projection", expected, actual } as const;
  const missing = missingFrom(wanted, present);
  if (missing !== undefined) {
    const message = `${owner.words} projects ${actual}; it should also project ${missing}`;
    return [breaking({ ...what, problem: "missing" }, message)];
  }
  if (missingFrom(projectionOf(present), projectionInput(wanted)) === undefined) return [];
  const message = `${owner.words} projects ${actual}, more than the specified ${expected}`;
  return [note({ ...what, problem: "unspecified" }, message)];
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
