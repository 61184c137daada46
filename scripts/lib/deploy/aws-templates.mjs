/** The templates of deploy/aws: the server's tables, as the program itself prints them, with the server on Fargate. */
import { join } from "node:path";
import { rootFolder, runCommand } from "../run-command.mjs";
import { fargateCloudFormation } from "./fargate-cloudformation.mjs";
import { fargateTerraform } from "./fargate-terraform.mjs";

/**
 * What the running server may do with its tables. Tests compare it with docs/how-to/production-on-aws.md, which is compared
 * with the requests of the stores.
 */
export const tableActions = [
  "BatchGetItem",
  "BatchWriteItem",
  "ConditionCheckItem",
  "DeleteItem",
  "DescribeTable",
  "DescribeTimeToLive",
  "GetItem",
  "PutItem",
  "Query",
  "Scan",
  "UpdateItem",
].map((action) => `dynamodb:${action}`);

/**
 * Returns the templates by file name.
 * @returns {Promise<Record<string, string>>}
 */
export async function deployTemplates() {
  const [cloudFormation, terraform] = await Promise.all([template("cloudformation"), template("terraform")]);
  return {
    "tablekeep.cloudformation.json": print(
      fargateCloudFormation(protectedTables(cloudFormation), tableActions),
    ),
    "tablekeep.tf.json": print(fargateTerraform(protectedResources(terraform), tableActions)),
  };
}

/** The tables of a server with default settings. */
async function template(kind) {
  const bin = join(rootFolder, "packages", "tablekeep", "bin", "tablekeep.js");
  const { code, output } = await runCommand(process.execPath, [bin, "serve", "--print-template", kind]);
  if (code !== 0) throw new Error(`cannot print the template: ${output}`);
  return JSON.parse(output);
}

/** Tables cannot be deleted by mistake, and can be restored to any second of the last 35 days. */
function protectedTables({ Resources }) {
  return Object.fromEntries(
    Object.entries(Resources).map(([name, { Properties, ...rest }]) => [
      name,
      {
        ...rest,
        Properties: {
          ...Properties,
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      },
    ]),
  );
}

function protectedResources({ resource }) {
  return Object.fromEntries(
    Object.entries(resource.aws_dynamodb_table).map(([name, table]) => [
      name,
      { ...table, deletion_protection_enabled: true, point_in_time_recovery: { enabled: true } },
    ]),
  );
}

function print(document) {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
