import { readRegistryPlaces } from "../../registry/registry-places.ts";
import type { Tool } from "../open-tool.ts";
import { type Finding, finding } from "./finding.ts";

/** An id that has numbers should be in the registry, once. */
export async function checkRegistry(
  { context, call }: Tool,
  persistenceId: string,
  hasNumbers: boolean,
): Promise<Finding[]> {
  if (context.layout.registryKey === undefined) return [];
  const places = await readRegistryPlaces(context, persistenceId, call);
  if (places.own.length === 0 && hasNumbers) {
    const message = "the id is not in the registry: queries for ids that use it do not give it";
    return [finding("not-registered", persistenceId, message, { repair: { action: "register" } })];
  }
  if (places.own.length < 2) return [];
  const message = `the id stands ${places.own.length} times in the registry: queries for ids give it as often`;
  return [
    finding("registered-twice", persistenceId, message, { repair: { action: "unregister-duplicates" } }),
  ];
}
