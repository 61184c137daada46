import type { CreateTableInput } from "@tablekeep/core";
import type { PortWorld } from "./port-case.ts";
import { isActive, keySchema } from "./shared-tables.ts";

/** A table request with partition key `pk` (S), paid per request; `over` replaces or adds members. */
export function tableInput(TableName: string, over: Partial<CreateTableInput> = {}): CreateTableInput {
  return {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    KeySchema: keySchema("pk"),
    ...over,
  };
}

/** Creates a table for one case alone and waits until it can be used; the suite deletes it at the end. */
export async function ownTable(world: PortWorld, over: Partial<CreateTableInput> = {}): Promise<string> {
  const input = tableInput(world.unique(), over);
  await world.port.createTable(input);
  const name = input.TableName ?? "";
  await world.eventually(`table ${name} is active`, () => isActive(world.port, name));
  return name;
}
