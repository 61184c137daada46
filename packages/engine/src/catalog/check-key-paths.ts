import { invalidRequest } from "../values/dynamo-errors.ts";
import type { TableModel } from "./table-model.ts";

/** An attribute's name, then map keys and list indexes. */
type DocumentPath = readonly [string, ...unknown[]];

/**
 * Throws if a path leads into a key of the table or of one of its indexes: keys have no parts. Sources: tests of
 * dynalite that ran against AWS, and DynamoDB Local.
 */
export function checkKeyPaths(table: TableModel, paths: readonly DocumentPath[]): void {
  if (!paths.some(isNested)) return;
  const names = new Set(paths.filter(isNested).map(([name]) => name));
  const key = table.keys.find(({ name }) => names.has(name));
  if (key !== undefined) throw notScalar(`Key: ${key.name}`);
  const indexKey = table.indexes.flatMap(({ keys }) => keys).find(({ name }) => names.has(name));
  if (indexKey !== undefined) throw notScalar(`IndexKey: ${indexKey.name}`);
}

function isNested(path: DocumentPath): boolean {
  return path.length > 1;
}

function notScalar(key: string): Error {
  return invalidRequest(
    `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ${key}`,
  );
}
