import type { TableSpec } from "@tablekeep/client";
import { Option } from "commander";
import type { CommandContext } from "../command-context.ts";

const kinds = ["cloudformation", "terraform", "aws-cli"] as const;

/** How a template may be written. */
export type TemplateKind = (typeof kinds)[number];

/** `--print-template`, alone or with a kind. */
export function templateOption(): Option {
  return new Option("--print-template [kind]", "print a template for the tables, and start nothing")
    .choices(kinds)
    .preset("cloudformation");
}

/** Prints what makes the tables. */
export async function printTemplate(
  tables: readonly TableSpec[],
  kind: TemplateKind,
  context: CommandContext,
): Promise<void> {
  const { toAwsCli, toCloudFormation, toTerraform } = await import("@tablekeep/client");
  const print = { cloudformation: toCloudFormation, terraform: toTerraform, "aws-cli": toAwsCli }[kind];
  const template = print(tables).trimEnd();
  context.print(template, { template });
}
