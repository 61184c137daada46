import { type DynamoPort, isTablekeepError, wrapPort } from "@tablekeep/core";

/**
 * The port of a folder that another process serves. The user named the folder and not the address of that process: an error says
 * that the process is gone, with the same code.
 */
export async function servedPort(port: DynamoPort, folder: string): Promise<DynamoPort> {
  const { ClientError, isClientError } = await import("@tablekeep/client");
  return wrapPort(port, async (operation, input, options, next) => {
    try {
      return await next(operation, input, options);
    } catch (error) {
      if (!isTablekeepError(error) || !isClientError(error, "CLIENT_UNREACHABLE")) throw error;
      const { details, ambiguous } = error;
      const message = `the process that served ${folder} does not answer any more: start "tablekeep serve" there again`;
      throw new ClientError("CLIENT_UNREACHABLE", message, details, { ambiguous, cause: error });
    }
  });
}
