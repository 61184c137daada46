import type * as DynamoDb from "@aws-sdk/client-dynamodb";
import type * as Streams from "@aws-sdk/client-dynamodb-streams";
import { type InputOf, type OperationName, operationTraits } from "@tablekeep/core";
import { packageMissing } from "../base/client-error.ts";

/** The part of the SDK's command that is needed to inspect how it is sent. */
interface WithMiddleware {
  readonly middlewareStack: {
    add(
      middleware: (next: Next) => Next,
      options: { name: string; step: "finalizeRequest"; priority: "high"; override: true },
    ): void;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK types a handler by its command; this one stands in all of them
type Next = (args: any) => Promise<any>;

/** The attempts of the SDK for one `send`. */
export interface AttemptLog {
  /** How often a request was sent. */
  readonly sent: () => number;
  /** The error of each failed attempt. */
  readonly failures: readonly unknown[];
}

/** Called before a request is sent again, with the error of the previous attempt. */
type OnSdkRetry = (failure: unknown) => Promise<void>;

/**
 * Watches the attempts of a command. The SDK reports how often it tried but not why, and the why decides whether an
 * earlier attempt may have been applied. Stands between the SDK's retries and its transport.
 */
export function watchAttempts(command: WithMiddleware, onRetry: OnSdkRetry): AttemptLog {
  const failures: unknown[] = [];
  let sent = 0;
  const watch = (next: Next) => async (args: unknown) => {
    if (failures.length > 0) await onRetry(failures.at(-1));
    sent += 1;
    try {
      return await next(args);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  command.middlewareStack.add(watch, {
    name: "tablekeepAttemptLog",
    step: "finalizeRequest",
    priority: "high",
    override: true,
  });
  return { sent: () => sent, failures };
}

/**
 * Disables the SDK's own retries for one command: it would also repeat a write whose outcome is unknown and which does
 * harm when applied twice. The middleware of a command replaces the client's of the same name.
 */
export function withoutSdkRetries(command: WithMiddleware): void {
  command.middlewareStack.add((next) => next, {
    name: "retryMiddleware",
    step: "finalizeRequest",
    priority: "high",
    override: true,
  });
}

/** `@aws-sdk/client-dynamodb`, loaded when it is first needed. */
export const loadDynamoDb = (): Promise<typeof DynamoDb> =>
  import("@aws-sdk/client-dynamodb").catch(packageMissing("@aws-sdk/client-dynamodb"));

/** `@aws-sdk/client-dynamodb-streams`, loaded when it is first needed. */
export const loadStreams = (): Promise<typeof Streams> =>
  import("@aws-sdk/client-dynamodb-streams").catch(packageMissing("@aws-sdk/client-dynamodb-streams"));

/** A command of the SDK, for either of the two services. */
type AnyCommand = WithMiddleware & { readonly input: object };

/** Makes the SDK's command for an operation. */
export async function newCommand<Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
): Promise<AnyCommand> {
  const module =
    operationTraits[operation].service === "streams" ? await loadStreams() : await loadDynamoDb();
  // Every operation has its command under this name; the compatibility of inputs is proven in core by type.
  const Command = Reflect.get(module, `${operation}Command`) as new (given: object) => AnyCommand;
  return new Command(input);
}
