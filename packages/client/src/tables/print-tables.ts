import type { KeySchemaElement, Projection, ProvisionedThroughput } from "@tablekeep/core";
import { createTableInput, timeToLiveInput } from "./create-table-input.ts";
import type { TableSpec } from "./table-spec.ts";

/** Returns the names, made unique by numbers at their ends. */
function identifiers(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count++) unique = `${name}${count}`;
    taken.add(unique);
    return unique;
  });
}

/**
 * Returns the tables as an AWS CloudFormation template in JSON, which is YAML as well. Deleting the stack, or a change that
 * replaces a table, keeps the table and its data.
 *
 * @example
 * await writeFile("tables.json", toCloudFormation([sessions]));
 */
export function toCloudFormation(specs: readonly TableSpec[]): string {
  const names = identifiers(specs.map(logicalId));
  const resources = specs.map((spec, index) => [names[index], resource(spec)]);
  const template = { AWSTemplateFormatVersion: "2010-09-09", Resources: Object.fromEntries(resources) };
  return `${JSON.stringify(template, undefined, 2)}\n`;
}

function resource(spec: TableSpec): object {
  const { StreamSpecification, ...properties } = createTableInput(spec);
  return {
    Type: "AWS::DynamoDB::Table",
    DeletionPolicy: "Retain",
    UpdateReplacePolicy: "Retain",
    Properties: {
      ...properties,
      // CloudFormation switches the stream on by naming its view; it has no StreamEnabled.
      ...(StreamSpecification && {
        StreamSpecification: { StreamViewType: StreamSpecification.StreamViewType },
      }),
      ...(spec.ttlAttribute !== undefined && {
        TimeToLiveSpecification: { AttributeName: spec.ttlAttribute, Enabled: true },
      }),
    },
  };
}

/** Letters and digits only: `my-table` → `MyTable`. */
function logicalId({ name }: TableSpec): string {
  const words = name.split(/[^a-zA-Z0-9]+/).filter((word) => word !== "");
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^[A-Za-z]/.test(joined) ? joined : `Table${joined}`;
}

/**
 * Returns a shell script for the AWS command line: for each table `create-table` with its JSON and, where items expire, a wait
 * and `update-time-to-live`.
 *
 * @example
 * await writeFile("create-tables.sh", toAwsCli([sessions]));
 */
export function toAwsCli(specs: readonly TableSpec[]): string {
  return `#!/bin/sh\nset -eu\n${specs.map(commands).join("")}`;
}

function commands(spec: TableSpec): string {
  const expiry = timeToLiveInput(spec);
  const create = `\naws dynamodb create-table --cli-input-json ${quotedJson(createTableInput(spec))}\n`;
  if (expiry === undefined) return create;
  const wait = `aws dynamodb wait table-exists --table-name ${quoted(spec.name)}\n`;
  return `${create}${wait}aws dynamodb update-time-to-live --cli-input-json ${quotedJson(expiry)}\n`;
}

function quotedJson(value: object): string {
  return quoted(JSON.stringify(value, undefined, 2));
}

/** A word of a POSIX shell: between single quotes everything but the quote itself is literal. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Returns the tables as Terraform resources (`aws_dynamodb_table`), in Terraform's JSON syntax: save it as `tables.tf.json`.
 *
 * @example
 * await writeFile("tables.tf.json", toTerraform([sessions]));
 */
export function toTerraform(specs: readonly TableSpec[]): string {
  const names = identifiers(specs.map(resourceName));
  const tables = Object.fromEntries(specs.map((spec, index) => [names[index], terraformTable(spec)]));
  const json = JSON.stringify({ resource: { aws_dynamodb_table: tables } }, undefined, 2);
  // In strings, `${` and `%{` would start a template, so their first character is doubled.
  return `${json.replace(/[$%](?=\{)/g, (sign) => sign + sign)}\n`;
}

function terraformTable(spec: TableSpec): object {
  const input = createTableInput(spec);
  const { StreamSpecification: stream, Tags, AttributeDefinitions = [] } = input;
  return {
    name: input.TableName,
    billing_mode: input.BillingMode,
    ...terraformCapacity(input.ProvisionedThroughput),
    ...terraformKeys(input.KeySchema),
    ...(stream && { stream_enabled: true, stream_view_type: stream.StreamViewType }),
    table_class: input.TableClass,
    deletion_protection_enabled: input.DeletionProtectionEnabled,
    tags: Tags && Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])),
    attribute: AttributeDefinitions.map(({ AttributeName, AttributeType }) => ({
      name: AttributeName,
      type: AttributeType,
    })),
    local_secondary_index: input.LocalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => ({
      name: IndexName,
      range_key: terraformKeys(KeySchema).range_key,
      ...terraformProjection(Projection),
    })),
    global_secondary_index: input.GlobalSecondaryIndexes?.map((index) => ({
      name: index.IndexName,
      ...terraformKeys(index.KeySchema),
      ...terraformProjection(index.Projection),
      ...terraformCapacity(index.ProvisionedThroughput),
    })),
    ttl: spec.ttlAttribute === undefined ? undefined : { attribute_name: spec.ttlAttribute, enabled: true },
  };
}

function terraformKeys(schema: readonly KeySchemaElement[] = []): { hash_key?: string; range_key?: string } {
  return Object.fromEntries(
    schema.map(({ AttributeName, KeyType }) => [
      KeyType === "HASH" ? "hash_key" : "range_key",
      AttributeName,
    ]),
  );
}

function terraformProjection({ ProjectionType, NonKeyAttributes }: Projection = {}): object {
  return { projection_type: ProjectionType, non_key_attributes: NonKeyAttributes };
}

function terraformCapacity(throughput: ProvisionedThroughput | undefined): object {
  if (throughput === undefined) return {};
  return { read_capacity: throughput.ReadCapacityUnits, write_capacity: throughput.WriteCapacityUnits };
}

/** Lower case words: `My.Table` → `my_table`. */
function resourceName({ name }: TableSpec): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  return /^[a-z]/.test(words) ? words : `table_${words}`;
}
