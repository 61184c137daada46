import {
  type CancellationReason,
  DynamoError,
  type Item,
  isTablekeepError,
  type OperationName,
  type TablekeepError,
  type ThrottlingReason,
} from "@tablekeep/core";
import { ClientError } from "../base/client-error.ts";

/** The port's data about an attempt that the SDK reports as failed. */
export interface FailedCall {
  readonly operation: OperationName;
  readonly table: string | undefined;
  readonly endpoint: string;
  /** Whether the request changes anything. A read is never ambiguous. */
  readonly isWrite: boolean;
  /** Whether the request left this process, as far as the port saw. */
  readonly wasSent: boolean;
}

/** The fields that errors of the SDK, of its HTTP handler and of Node carry. All may be absent. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly syscall?: string;
  readonly cause?: unknown;
  readonly $fault?: string;
  readonly $response?: unknown;
  readonly $metadata?: { httpStatusCode?: number; requestId?: string; attempts?: number };
  readonly Item?: Item;
  readonly CancellationReasons?: CancellationReason[];
  /** Two exceptions spell it this way, the third the other way. */
  readonly ThrottlingReasons?: ThrottlingReason[];
  readonly throttlingReasons?: ThrottlingReason[];
}

/** No connection was made when one of these is the reason: nothing was sent. */
const unreachable: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPROTO",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

const credentialErrors: ReadonlySet<string> = new Set([
  "CredentialsProviderError",
  "TokenProviderError",
  "ProviderError",
]);

/** Translates the SDK's errors. The only place that depends on them; by name and code, never by message. */
export function translateSdkError(error: unknown, call: FailedCall): TablekeepError {
  if (isTablekeepError(error)) return error;
  const sdk = (error ?? {}) as SdkError;
  // An exception of `sdkClient`, which runs on a port: the port's own error says more.
  if (isTablekeepError(sdk.cause)) return sdk.cause;
  if (sdk.$fault !== undefined && sdk.name !== undefined) return fromService(sdk, call);
  const attempts = sdk.$metadata?.attempts ?? 1;
  const { endpoint, isWrite } = call;
  if (credentialErrors.has(sdk.name ?? ""))
    return new ClientError(
      "CLIENT_CREDENTIALS_FAILED",
      `SDK client has no AWS credentials (${sdk.name}): check its \`credentials\``,
      { provider: "the SDK client" },
      { cause: error },
    );
  if (unreachable.has(sdk.code ?? "") || sdk.syscall === "connect")
    return new ClientError(
      "CLIENT_UNREACHABLE",
      `no connection to ${endpoint} (${sdk.code}): check the endpoint, the region and the network`,
      { endpoint, attempts, reason: sdk.code ?? "connect" },
      { cause: error },
    );
  if (sdk.$response !== undefined)
    return new ClientError(
      "CLIENT_RESPONSE_CORRUPT",
      `unexpected response from ${endpoint}: check proxies and load balancers`,
      { endpoint, attempts, reason: `${sdk.name}, status ${sdk.$metadata?.httpStatusCode}` },
      { cause: error, ambiguous: isWrite },
    );
  if (!call.wasSent) return notSent(sdk, error);
  return new ClientError(
    "CLIENT_CONNECTION_LOST",
    `connection to ${endpoint} closed before the response arrived (${sdk.code ?? sdk.name}): check the network, and read the item before you repeat a write`,
    { endpoint, attempts },
    { cause: error, ambiguous: isWrite },
  );
}

function fromService(sdk: SdkError, call: FailedCall): DynamoError {
  const answer = new DynamoError({
    exception: sdk.name ?? "",
    serviceMessage: sdk.message ?? "",
    operation: call.operation,
    table: call.table,
    attempts: sdk.$metadata?.attempts ?? 1,
    cause: sdk,
    ...(sdk.$metadata?.httpStatusCode !== undefined && { httpStatus: sdk.$metadata.httpStatusCode }),
    ...(sdk.$metadata?.requestId !== undefined && { requestId: sdk.$metadata.requestId }),
    ...(sdk.Item !== undefined && { item: sdk.Item }),
    ...(sdk.CancellationReasons !== undefined && { cancellationReasons: sdk.CancellationReasons }),
    ...throttlingReasonsOf(sdk),
  });
  if (call.isWrite || !answer.ambiguous) return answer;
  return new DynamoError({ ...answer.details, ambiguous: false, cause: sdk });
}

function throttlingReasonsOf(sdk: SdkError): { throttlingReasons?: ThrottlingReason[] } {
  const throttlingReasons = sdk.ThrottlingReasons ?? sdk.throttlingReasons;
  return throttlingReasons === undefined ? {} : { throttlingReasons };
}

/** The SDK failed on its own settings, such as a missing region, or could not serialize the request. */
function notSent(sdk: SdkError, cause: unknown): ClientError<"CLIENT_OPTION_INVALID"> {
  const reason = `${sdk.name}: ${sdk.message}`;
  return new ClientError(
    "CLIENT_OPTION_INVALID",
    `SDK client could not send the request: ${reason} (check its settings and the input)`,
    { option: "client", reason },
    { cause },
  );
}

/** The settings of an SDK client that define its endpoint. */
interface Addressed {
  readonly config?: {
    readonly endpoint?: () => Promise<{ protocol: string; hostname: string; port?: number }>;
    readonly region?: () => Promise<string>;
  };
}

/** Returns where an SDK client sends to, for messages. Never throws: the call itself reports a wrong setting. */
export async function endpointOf(client: object): Promise<string> {
  const { config } = client as Addressed;
  try {
    const custom = await config?.endpoint?.();
    if (custom) return `${custom.protocol}//${custom.hostname}${custom.port ? `:${custom.port}` : ""}`;
    return `DynamoDB in ${await config?.region?.()}`;
  } catch {
    return "DynamoDB";
  }
}
