import type { AttributeDefinition, KeySchemaElement } from "@tablekeep/core";
import { invalid, invalidParameter } from "../item/refuse.ts";

/** AWS: Multi-attribute keys — of each kind, in a global index. */
const maxKeyAttributes = 4;

type Schema = readonly KeySchemaElement[];
type Definitions = readonly AttributeDefinition[];

/** The key schema of a table or a local index: a partition key, and perhaps a sort key after it. */
export function checkPlainSchema(schema: Schema, definitions: Definitions): void {
  checkDefined(schema, definitions);
  checkDistinct(schema);
  checkFirstIsHash(schema);
  if (schema[1] !== undefined && schema[1].KeyType !== "RANGE") {
    throw invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
  }
}

/** The key schema of a global index: up to four attributes of each kind. */
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
    `Some index key attributes are not defined in AttributeDefinitions. Keys: ${listed(keys)}, ` +
      `AttributeDefinitions: ${listed(defined)}`,
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

/** The attribute names of key elements or definitions. */
export function namesOf(elements: readonly { AttributeName: string | undefined }[]): string[] {
  return elements.map(({ AttributeName = "" }) => AttributeName);
}

/** Names as DynamoDB lists them. */
export function listed(names: Iterable<string>): string {
  return `[${[...names].join(", ")}]`;
}
