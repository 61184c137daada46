import { type CallOptions, isDynamoError } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { readRegistryPlaces } from "./registry-places.ts";
import { registryPut } from "./registry-put.ts";

/** Makes an id known where it is not. False if it was, or if the layout keeps no registry. */
export async function registerId(
  context: JournalContext,
  persistenceId: string,
  call: CallOptions,
): Promise<boolean> {
  for (;;) {
    if (context.layout.registryKey === undefined) return false;
    const { own, free } = await readRegistryPlaces(context, persistenceId, call);
    const put = free && registryPut(context, persistenceId, free.probe);
    if (own.length > 0 || put === undefined) return false;
    try {
      await context.port.putItem(put, call);
      return true;
    } catch (error) {
      // Another id was faster at this place.
      if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
    }
  }
}
