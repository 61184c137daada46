import type { DynamoPort } from "@tablekeep/core";
import { type ConnectOptions, checkConnectOptions } from "./connect-options.ts";
import { withEnvironment } from "./environment.ts";
import { httpPort } from "./http/http-port.ts";
import { logged } from "./logging/logged.ts";
import { sdkPort } from "./sdk/sdk-port.ts";

/**
 * A port to DynamoDB: on AWS (`region`), on any server that speaks its protocol (`endpoint`), or through an SDK client of
 * yours (`client`). What is not given comes from the environment, then from the defaults. Nothing is opened before the
 * first call; wrong options throw `CLIENT_OPTION_INVALID` here.
 *
 * @example
 * await using port = connect({ region: "eu-west-1" });
 * const { Item } = await port.getItem({ TableName: "carts", Key: { id: { S: "1" } } });
 */
export function connect(options: ConnectOptions = {}): DynamoPort {
  checkConnectOptions(options);
  const { client, streamsClient, env = process.env, ...http } = options;
  if (client === undefined) return httpPort(withEnvironment(http, env));
  const { deadlineMs, maxAttempts, clock, random, logger, tracing } = options;
  const port = sdkPort(client, {
    ...(streamsClient && { streamsClient }),
    ...(deadlineMs && { deadlineMs }),
    ...(maxAttempts && { maxAttempts }),
    ...(clock && { clock }),
    ...(random && { random }),
  });
  return logger === undefined ? port : logged(port, logger, { tracing, clock });
}
