import type { KeyFact, TableFacts, WireItem } from "../api/table-facts.ts";
import { stepsOfPath } from "./filter-path.ts";

/** One condition of the form, with the typed values. */
export interface TypedFilter {
  /** See {@link stepsOfPath}. */
  readonly path: string;
  readonly is: string;
  readonly type: "S" | "N" | "BOOL" | "NULL";
  readonly value: string;
}

/** A query of a table, as in the form and the address. */
export interface ItemsQuery {
  readonly index: string;
  /** "" reads everything. */
  readonly partition: string;
  readonly sortIs: string;
  readonly sort: string;
  readonly sortTo: string;
  readonly filters: readonly TypedFilter[];
  readonly isConsistent: boolean;
  readonly isDescending: boolean;
}

export const emptyQuery: ItemsQuery = {
  index: "",
  partition: "",
  sortIs: "=",
  sort: "",
  sortTo: "",
  filters: [],
  isConsistent: false,
  isDescending: false,
};

/** The query of an address. Unknown parts are ignored. */
export function queryOfAddress(params: URLSearchParams): ItemsQuery {
  const text = (name: string) => params.get(name) ?? "";
  return {
    index: text("index"),
    partition: text("partition"),
    sortIs: text("sortIs") || "=",
    sort: text("sort"),
    sortTo: text("sortTo"),
    filters: filtersOf(text("filters")),
    isConsistent: text("consistent") === "true",
    isDescending: text("order") === "desc",
  };
}

/** The parts of a query that the address contains. */
export function addressOfQuery(query: ItemsQuery): Readonly<Record<string, string>> {
  const { index, partition, sortIs, sort, sortTo, filters, isConsistent, isDescending } = query;
  return {
    index,
    partition,
    sortIs: sort === "" || sortIs === "=" ? "" : sortIs,
    sort,
    sortTo,
    filters: filters.length === 0 ? "" : JSON.stringify(filters),
    consistent: isConsistent ? "true" : "",
    order: isDescending ? "desc" : "",
  };
}

/** The parameters of the request for a query. */
export function requestOfQuery(query: ItemsQuery, cursor: string | undefined): URLSearchParams {
  const params = new URLSearchParams();
  if (query.index !== "") params.set("index", query.index);
  if (query.partition !== "") {
    params.set("partition", query.partition);
    if (query.isDescending) params.set("order", "desc");
    if (query.sort !== "") {
      params.set("sort", query.sort);
      params.set("sortIs", query.sortIs);
      if (query.sortIs === "between") params.set("sortTo", query.sortTo);
    }
  }
  for (const filter of query.filters) if (filter.path !== "") params.append("filter", wireFilter(filter));
  if (query.isConsistent) params.set("consistent", "true");
  if (cursor !== undefined) params.set("cursor", cursor);
  return params;
}

function wireFilter({ path, is, type, value }: TypedFilter): string {
  const steps = stepsOfPath(path);
  if (is === "exists" || is === "not_exists") return JSON.stringify({ path: steps, is });
  const content = { S: value, N: value, BOOL: value === "true", NULL: true }[type];
  return JSON.stringify({ path: steps, is, value: { [type]: content } });
}

function filtersOf(text: string): readonly TypedFilter[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isFilter) : [];
  } catch {
    return [];
  }
}

function isFilter(value: unknown): value is TypedFilter {
  if (typeof value !== "object" || value === null) return false;
  const { path, is, type, value: compared } = value as Record<string, unknown>;
  return (
    [path, is, compared].every((each) => typeof each === "string") &&
    ["S", "N", "BOOL", "NULL"].includes(String(type))
  );
}

/** The key of an item in DynamoDB's JSON, which identifies it in addresses. */
export function keyOfItem({ partition, sort }: TableFacts, item: WireItem): string {
  const names = sort === undefined ? [partition.name] : [partition.name, sort.name];
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, item[name]])));
}

/** The value of a key attribute, for people. */
export function keyText(item: WireItem, key: KeyFact | undefined): string {
  if (key === undefined) return "";
  const value = item[key.name]?.[key.type];
  return value === undefined ? "—" : String(value);
}
