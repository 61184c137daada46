import {
  buildPort,
  type CallOptions,
  CallsInFlight,
  type Dispatch,
  type DynamoPort,
  operationTraits,
  optionCheck,
  silentLogger,
  systemClock,
  systemRandom,
  type TablekeepError,
} from "@tablekeep/core";
import { optionInvalid } from "../base/check-options.ts";
import { portClosed } from "../base/client-error.ts";
import { safeLogger } from "../base/safe-logger.ts";
import { credentialSource } from "../credentials/credential-source.ts";
import { logged } from "../observe/logged.ts";
import { withRequestToken } from "../retry/call-effect.ts";
import { createRetryBudget, retryLimits } from "../retry/retry-policy.ts";
import type { RetrySettings } from "../retry/with-retries.ts";
import { createConnections } from "./connections.ts";
import { resolveEndpoints } from "./endpoints.ts";
import { HttpCall, type Service } from "./http-call.ts";
import {
  checkHttpPortOptions,
  type HttpPortOptions,
  httpPortDefaults,
  userAgent,
} from "./http-port-options.ts";
import { createServerTime } from "./server-time.ts";
import { createSigner } from "./sign-request.ts";

/**
 * Creates a port to DynamoDB, or to any server that speaks its protocol, over HTTP. Unlike `connect` it does not read the
 * environment. Nothing is opened before the first call; wrong options throw `CLIENT_OPTION_INVALID` here.
 *
 * @example
 * await using port = httpPort({ region: "eu-west-1" });
 */
export function httpPort(options: HttpPortOptions = {}): DynamoPort {
  checkHttpPortOptions(options);
  const maxAttempts = options.maxAttempts ?? httpPortDefaults.maxAttempts;
  const budget = createRetryBudget(options.retryBudget ?? httpPortDefaults.retryBudget);
  const services = createServices(options, { maxAttempts, budget });
  const deadlineMs = options.deadlineMs ?? httpPortDefaults.deadlineMs;
  const calls = new CallsInFlight(portClosed);
  let closing: Promise<void> | undefined;

  const dispatch: Dispatch = (operation, input, callOptions) =>
    calls.run(async () => {
      checkCallDeadline(callOptions);
      const timed = { ...callOptions, deadlineMs: callOptions.deadlineMs ?? deadlineMs };
      const service = services[operationTraits[operation].service];
      return new HttpCall(service, operation, withRequestToken(operation, input), timed).run();
    });

  const close = () => {
    closing ??= calls.close().then(() => closeAll(services));
    return closing;
  };
  const port: DynamoPort = {
    ...buildPort(dispatch, close),
    retryLimits: retryLimits(budget, maxAttempts),
    serverOffsetMs: services.dynamodb.time.aheadMs,
  };
  const { logger, tracing, clock } = options;
  return logger === undefined ? port : logged(port, logger, { tracing, clock });
}

type Services = Readonly<Record<"dynamodb" | "streams", Service>>;

function createServices(
  options: HttpPortOptions,
  limits: Pick<RetrySettings, "budget" | "maxAttempts">,
): Services {
  const { clock = systemClock } = options;
  const logger = safeLogger(options.logger ?? silentLogger);
  const { region, dynamodb, streams } = resolveEndpoints(options);
  const { credentials } = options;
  const shared = {
    clock,
    retry: { clock, random: options.random ?? systemRandom, retries: isWorthRetrying, ...limits },
    plainHeaders: plainHeaders(options),
    credentials: credentialSource(credentials, { clock, logger }),
    fixedCredentials: typeof credentials === "object" ? credentials : undefined,
    time: createServerTime(clock, logger),
    checkCrc: options.checkCrc ?? httpPortDefaults.checkCrc,
  };
  const reach = (url: URL) => ({
    endpoint: url.origin,
    sign: createSigner({ host: url.host, path: url.pathname, region }),
    connections: createConnections({
      url,
      clock,
      maxConnections: options.maxConnections ?? httpPortDefaults.maxConnections,
      maxWaiting: options.maxWaiting ?? httpPortDefaults.maxWaiting,
      connectTimeoutMs: options.connectTimeoutMs ?? httpPortDefaults.connectTimeoutMs,
      socketTimeoutMs: options.socketTimeoutMs ?? httpPortDefaults.socketTimeoutMs,
      keepAliveMs: options.keepAliveMs ?? httpPortDefaults.keepAliveMs,
      connectionLifeMs: options.connectionLifeMs,
      localAddress: options.localAddress,
      proxy: options.proxy === undefined ? undefined : new URL(options.proxy),
      tlsCa: options.tlsCa,
      tlsInsecure: options.tlsInsecure ?? httpPortDefaults.tlsInsecure,
    }),
  });
  const toTables = reach(dynamodb);
  // One host has one pool, whose limit holds for both services.
  const toStreams = streams.href === dynamodb.href ? toTables : reach(streams);
  return {
    dynamodb: { ...shared, ...toTables, targetPrefix: "DynamoDB_20120810." },
    streams: { ...shared, ...toStreams, targetPrefix: "DynamoDBStreams_20120810." },
  };
}

/** A full queue is not retried: waiting calls would form a second queue, and would spend the retry budget of others. */
function isWorthRetrying({ retryable, code }: TablekeepError): boolean {
  return retryable && code !== "CLIENT_BUSY";
}

function plainHeaders(options: HttpPortOptions): string[] {
  const headers = ["user-agent", userAgent(options.userAgentSuffix)];
  return options.gzip === true ? [...headers, "accept-encoding", "gzip"] : headers;
}

async function closeAll({ dynamodb, streams }: Services): Promise<void> {
  await Promise.all([...new Set([dynamodb.connections, streams.connections])].map((each) => each.close()));
}

function checkCallDeadline({ deadlineMs }: CallOptions): void {
  const reason =
    deadlineMs === undefined || deadlineMs === 0 ? undefined : optionCheck.milliseconds(deadlineMs);
  if (reason !== undefined) throw optionInvalid("deadlineMs", reason);
}
