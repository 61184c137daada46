import { createTableInput } from "./create-table-input.ts";
import { identifiers } from "./identifiers.ts";
import type { TableSpec } from "./table-spec.ts";

/**
 * The tables as an AWS CloudFormation template in JSON, which is YAML as well. Deleting the stack, or a change that
 * would make a table anew, keeps the table and its data.
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
      // CloudFormation switches the stream on by naming its view; it knows no StreamEnabled.
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
