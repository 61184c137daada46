import { type DynamoPort, wrapPort } from "@tablekeep/core";

/**
 * A port whose requests each begin in a new turn of the event loop. An engine in this process answers within the same turn: work that sends
 * thousands of requests one after the other would hold up everything else that the server does.
 */
export function portWithTurns(given: DynamoPort): DynamoPort {
  const port = wrapPort(given, async (operation, input, options, next) => {
    await new Promise((resolve) => void setImmediate(resolve));
    return next(operation, input, options);
  });
  const { atomicBatches, watchStream } = given;
  return { ...port, atomicBatches, ...(watchStream && { watchStream }) };
}
