import { buildPort, type DynamoPort, dispatchTo, systemClock } from "@tablekeep/core";
import { ClientError } from "./client-error.ts";
import { type ConnectOptions, checkConnectOptions } from "./connect-options.ts";
import { withEnvironment } from "./environment.ts";
import { httpPort } from "./http/http-port.ts";
import { traceCalls } from "./http/trace-calls.ts";

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
  const { client, streamsClient: _, env = process.env, ...http } = options;
  if (client === undefined) return httpPort(withEnvironment(http, env));
  const port = throughClient(options, client);
  if (options.tracing !== true || options.logger === undefined) return port;
  return traceCalls(port, options.logger, options.clock ?? systemClock);
}

/** The sdk port, whose module is loaded with the first call: those who do not use it do not pay for it. */
function throughClient(options: ConnectOptions, client: NonNullable<ConnectOptions["client"]>): DynamoPort {
  let loading: Promise<DynamoPort> | undefined;
  let closing: Promise<void> | undefined;
  const load = async (): Promise<DynamoPort> => {
    const { sdkPort } = await import("./sdk/sdk-port.ts");
    const { streamsClient, deadlineMs, maxAttempts, clock, random } = options;
    return sdkPort(client, {
      ...(streamsClient && { streamsClient }),
      ...(deadlineMs && { deadlineMs }),
      ...(maxAttempts && { maxAttempts }),
      ...(clock && { clock }),
      ...(random && { random }),
    });
  };
  return buildPort(
    async (operation, input, callOptions) => {
      if (closing !== undefined)
        throw new ClientError("CLIENT_CLOSED", "the port is closed: open another", {});
      loading ??= load();
      return dispatchTo(await loading)(operation, input, callOptions);
    },
    () => {
      closing ??= Promise.resolve(loading).then((port) => port?.close());
      return closing;
    },
  );
}
