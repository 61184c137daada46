import { type Clock, type DynamoPort, isTablekeepError, type Logger, wrapPort } from "@tablekeep/core";
import { tableOf } from "./table-of.ts";

/** `port` with one debug line for each call: operation, table, duration, how it ended. Nothing of the items. */
export function traceCalls(port: DynamoPort, logger: Logger, clock: Clock): DynamoPort {
  return wrapPort(port, async (operation, input, options, next) => {
    const startedAt = clock.monotonic();
    const told = (fields: object) =>
      logger.debug(operation, { table: tableOf(input), ms: clock.monotonic() - startedAt, ...fields });
    try {
      const output = await next(operation, input, options);
      told({ ok: true });
      return output;
    } catch (error) {
      told({ ok: false, error: isTablekeepError(error) ? error.code : "not ours" });
      throw error;
    }
  });
}
