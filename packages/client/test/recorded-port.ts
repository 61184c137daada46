import { type DynamoPort, type OperationName, wrapPort } from "@tablekeep/core";

/** One request that went through a port. */
export interface RecordedRequest {
  readonly operation: OperationName;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into inputs of every operation
  readonly input: any;
}

/** A port, and the requests that have gone through it. */
export function recordedPort(port: DynamoPort): { port: DynamoPort; requests: RecordedRequest[] } {
  const requests: RecordedRequest[] = [];
  const recorded = wrapPort(port, (operation, input, options, next) => {
    requests.push({ operation, input });
    return next(operation, input, options);
  });
  return { port: recorded, requests };
}
