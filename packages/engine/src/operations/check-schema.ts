import type {
  AttributeDefinition,
  BillingMode,
  KeySchemaElement,
  OnDemandThroughput,
  Projection,
  ProvisionedThroughput,
} from "@tablekeep/core";
import { invalid, invalidParameter } from "../values/dynamo-errors.ts";

/** AWS: Multi-attribute keys — of each kind, in a global index. */
const maxKeyAttributes = 4;

type Schema = readonly KeySchemaElement[];
type Definitions = readonly AttributeDefinition[];

/** Checks the key schema of a table or local index: a partition key, and optionally a sort key after it. */
export function checkPlainSchema(schema: Schema, definitions: Definitions): void {
  checkDefined(schema, definitions);
  checkDistinct(schema);
  checkFirstIsHash(schema);
  if (schema[1] !== undefined && schema[1].KeyType !== "RANGE") {
    throw invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
  }
}

/** Checks the key schema of a global index: up to four attributes of each kind. */
export function checkGlobalSchema(schema: Schema, definitions: Definitions): void {
  checkDefined(schema, definitions);
  checkDistinct(schema);
  checkFirstIsHash(schema);
  for (const kind of ["HASH", "RANGE"] as const) {
    if (schema.filter(({ KeyType }) => KeyType === kind).length > maxKeyAttributes) {
      throw invalidParameter(`The KeySchema exceeds the maximum allowed number of ${kind} key attributes`);
    }
  }
  const firstRange = schema.findIndex(({ KeyType }) => KeyType === "RANGE");
  if (firstRange >= 0 && schema.slice(firstRange).some(({ KeyType }) => KeyType === "HASH")) {
    throw invalidParameter("All HASH key attributes must precede RANGE key attributes in the KeySchema");
  }
}

function checkDefined(schema: Schema, definitions: Definitions): void {
  const defined = namesOf(definitions);
  const keys = namesOf(schema);
  if (keys.every((name) => defined.includes(name))) return;
  throw invalidParameter(
    `Some index key attributes are not defined in AttributeDefinitions. Keys: ${formatList(keys)}, ` +
      `AttributeDefinitions: ${formatList(defined)}`,
  );
}

function checkDistinct(schema: Schema): void {
  if (new Set(namesOf(schema)).size === schema.length) return;
  throw invalid(
    schema.length === 2
      ? "Both the Hash Key and the Range Key element in the KeySchema have the same name"
      : "The KeySchema contains multiple key attributes with the same name",
  );
}

function checkFirstIsHash([first]: Schema): void {
  if (first?.KeyType !== "HASH") {
    throw invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
  }
}

/** Returns the attribute names of key elements or definitions. */
export function namesOf(elements: readonly { AttributeName: string | undefined }[]): string[] {
  return elements.map(({ AttributeName = "" }) => AttributeName);
}

/** Returns the first name that is in the list a second time. */
export function firstRepeated(names: readonly string[]): string | undefined {
  const known = new Set<string>();
  for (const name of names) {
    if (known.has(name)) return name;
    known.add(name);
  }
  return undefined;
}

/** Formats names as DynamoDB lists them. */
export function formatList(names: Iterable<string>): string {
  return `[${[...names].join(", ")}]`;
}

/** AWS: Limits — attributes listed in the projections of all indexes of a table together. */
const maxProjectedAttributes = 100;

/** Checks the projection of an index. */
export function checkProjection(projection: Projection | undefined): void {
  const { ProjectionType: type, NonKeyAttributes: names } = projection ?? {};
  if (type === undefined) throw invalidParameter("Unknown ProjectionType: null");
  if (type === "INCLUDE" && names === undefined) {
    throw invalidParameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  }
  if (type !== "INCLUDE" && names !== undefined) {
    throw invalidParameter(`ProjectionType is ${type}, but NonKeyAttributes is specified`);
  }
  const repeated = firstRepeated(names ?? []);
  if (repeated !== undefined) throw invalidParameter(`Duplicate element in NonKeyAttributes: ${repeated}`);
}

/** Checks the projections of all indexes of a table together. An attribute in two indexes counts twice. */
export function checkProjectedTotal(indexes: readonly { readonly Projection?: Projection }[]): void {
  const total = indexes.reduce((sum, { Projection }) => sum + (Projection?.NonKeyAttributes?.length ?? 0), 0);
  if (total > maxProjectedAttributes) {
    throw invalidParameter(
      `Number of NonKeyAttributes of all indexes, ${total}, exceeds the per-table limit of ${maxProjectedAttributes}`,
    );
  }
}

const maxUnits = 1_000_000_000_000;

/** Checks the limits of provisioned throughput. */
export function checkUnits(throughput: ProvisionedThroughput | undefined): void {
  for (const name of ["ReadCapacityUnits", "WriteCapacityUnits"] as const) {
    const units = throughput?.[name] ?? 0;
    if (units > maxUnits) throw invalid(`Given value ${units} for ${name} is out of bounds`);
  }
}

/**
 * Checks the limits of on-demand throughput, which only on-demand tables and indexes have. `removable`: -1 removes a limit,
 * as in changes of what exists.
 */
export function checkOnDemand(
  mode: BillingMode,
  throughput: OnDemandThroughput | undefined,
  owner: "table" | `index : ${string}`,
  removable: boolean,
): void {
  for (const name of ["MaxReadRequestUnits", "MaxWriteRequestUnits"] as const) {
    const units = throughput?.[name];
    if (units === undefined) continue;
    if (mode === "PROVISIONED") throw invalidParameter(notOnDemand(name, owner, removable));
    if (units < 1 && !(removable && units === -1)) {
      throw invalidParameter(
        `Requested ${name} for OnDemandThroughput for ${owner} is outside of valid range`,
      );
    }
  }
}

/** DynamoDB words this differently for a new table and for a change. */
function notOnDemand(name: string, owner: string, removable: boolean): string {
  if (removable)
    return `${name} for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED`;
  const index = owner === "table" ? "" : ` for ${owner.replace(" :", ":")}`;
  return `${name} for OnDemandThroughput${index} cannot be specified when table BillingMode is PROVISIONED.`;
}
