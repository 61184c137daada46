import type { CreateTableInput, KeySchemaElement, Projection, ProvisionedThroughput } from "@tablekeep/core";
import { createTableInput } from "./create-table-input.ts";
import { attribute, block, type HclAttribute, type HclLine } from "./hcl.ts";
import { identifiers } from "./identifiers.ts";
import type { TableSpec } from "./table-spec.ts";

/** The tables as Terraform resources (`aws_dynamodb_table`), laid out as `terraform fmt` would. */
export function toTerraform(specs: readonly TableSpec[]): string {
  const names = identifiers(specs.map(resourceName));
  return specs
    .map((spec, index) => block("resource", ["aws_dynamodb_table", names[index] ?? ""], resource(spec)))
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function resource(spec: TableSpec): HclLine[] {
  const input = createTableInput(spec);
  const { ttlAttribute } = spec;
  return [
    attribute("name", input.TableName),
    attribute("billing_mode", input.BillingMode),
    ...capacity(input.ProvisionedThroughput),
    ...keys(input.KeySchema),
    ...settings(input),
    ...(input.AttributeDefinitions ?? []).map(({ AttributeName, AttributeType }) =>
      block("attribute", [], [attribute("name", AttributeName), attribute("type", AttributeType)]),
    ),
    ...indexes(input),
    ...(ttlAttribute === undefined
      ? []
      : [block("ttl", [], [attribute("attribute_name", ttlAttribute), attribute("enabled", true)])]),
  ];
}

function settings(input: CreateTableInput): HclLine[] {
  const { StreamSpecification: stream, Tags } = input;
  return [
    ...(stream
      ? [attribute("stream_enabled", true), attribute("stream_view_type", stream.StreamViewType)]
      : []),
    ...(input.TableClass ? [attribute("table_class", input.TableClass)] : []),
    ...(input.DeletionProtectionEnabled === undefined
      ? []
      : [attribute("deletion_protection_enabled", input.DeletionProtectionEnabled)]),
    ...(Tags ? [attribute("tags", Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])))] : []),
  ];
}

function indexes(input: CreateTableInput): HclLine[] {
  return [
    ...(input.LocalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => {
      const sort = keys(KeySchema).filter(({ name }) => name === "range_key");
      return block(
        "local_secondary_index",
        [],
        [attribute("name", IndexName), ...sort, ...projection(Projection)],
      );
    }),
    ...(input.GlobalSecondaryIndexes ?? []).map((index) =>
      block(
        "global_secondary_index",
        [],
        [
          attribute("name", index.IndexName),
          ...keys(index.KeySchema),
          ...projection(index.Projection),
          ...capacity(index.ProvisionedThroughput),
        ],
      ),
    ),
  ];
}

function keys(schema: readonly KeySchemaElement[] = []): HclAttribute[] {
  return schema.map(({ AttributeName, KeyType }) =>
    attribute(KeyType === "HASH" ? "hash_key" : "range_key", AttributeName),
  );
}

function projection(projection: Projection = {}): HclLine[] {
  const { ProjectionType, NonKeyAttributes } = projection;
  return [
    attribute("projection_type", ProjectionType),
    ...(NonKeyAttributes ? [attribute("non_key_attributes", NonKeyAttributes)] : []),
  ];
}

function capacity(throughput: ProvisionedThroughput | undefined): HclLine[] {
  if (throughput === undefined) return [];
  return [
    attribute("read_capacity", throughput.ReadCapacityUnits),
    attribute("write_capacity", throughput.WriteCapacityUnits),
  ];
}

/** Lower case words: `My.Table` → `my_table`. */
function resourceName({ name }: TableSpec): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  return /^[a-z]/.test(words) ? words : `table_${words}`;
}
