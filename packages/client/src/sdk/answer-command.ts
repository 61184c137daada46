import { randomUUID } from "node:crypto";
import {
  type CallOptions,
  DynamoError,
  type DynamoPort,
  dispatchTo,
  type InputOf,
  isOperationName,
  type OperationName,
  operationTraits,
} from "@tablekeep/core";
import { copyData } from "./copy-data.ts";
import { type SdkExceptions, toSdkException } from "./to-sdk-exception.ts";

/** What a caller may give to `client.send` beside the command. */
export interface SendOptions {
  readonly abortSignal?: AbortSignal;
  /** Milliseconds. */
  readonly requestTimeout?: number;
}

/** Answers a command of the SDK as its service would. */
export type AnswerCommand = (operation: string, input: object, options?: SendOptions) => Promise<object>;

/** Answers with a port. Nothing that goes in or comes out is shared with the caller. */
export function answerWith(
  port: DynamoPort,
  service: "dynamodb" | "streams",
  sdk: SdkExceptions,
): AnswerCommand {
  const dispatch = dispatchTo(port);
  return async (operation, input, options) => {
    try {
      if (!isOurs(operation, service)) throw unknownOperation(operation);
      const output = await dispatch(operation, toPort(operation, input), callOptions(options));
      const $metadata = {
        httpStatusCode: 200,
        requestId: randomUUID(),
        extendedRequestId: undefined,
        cfId: undefined,
        attempts: 1,
        totalRetryDelay: 0,
      };
      return Object.assign(copyData<object>(output), { $metadata });
    } catch (error) {
      throw toSdkException(error, sdk);
    }
  };
}

function isOurs(operation: string, service: string): operation is OperationName {
  return isOperationName(operation) && operationTraits[operation].service === service;
}

function unknownOperation(operation: string): DynamoError {
  return new DynamoError({
    exception: "UnknownOperationException",
    serviceMessage: `${operation} is not an operation of this client: it runs on a port, which has only those that Tablekeep uses`,
  });
}

function toPort<Name extends OperationName>(operation: Name, input: object): InputOf<Name> {
  const copy = copyData(input) as InputOf<Name>;
  // The SDK fills the token in while it writes the request down, which does not happen here.
  if (operation === "TransactWriteItems" || operation === "ExecuteTransaction")
    (copy as InputOf<"TransactWriteItems">).ClientRequestToken ??= randomUUID();
  return copy;
}

function callOptions(options: SendOptions | undefined): CallOptions {
  if (options === undefined) return {};
  return {
    ...(options.abortSignal && { signal: options.abortSignal }),
    ...(options.requestTimeout && { deadlineMs: options.requestTimeout }),
  };
}
