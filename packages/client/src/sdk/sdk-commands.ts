import type * as DynamoDb from "@aws-sdk/client-dynamodb";
import type * as Streams from "@aws-sdk/client-dynamodb-streams";
import { type InputOf, type OperationName, operationTraits } from "@tablekeep/core";
import { packageMissing } from "../load-package.ts";
import type { WithMiddleware } from "./attempt-log.ts";

/** `@aws-sdk/client-dynamodb`, loaded when it is first needed. */
export const loadDynamoDb = (): Promise<typeof DynamoDb> =>
  import("@aws-sdk/client-dynamodb").catch(packageMissing("@aws-sdk/client-dynamodb"));

/** `@aws-sdk/client-dynamodb-streams`, loaded when it is first needed. */
export const loadStreams = (): Promise<typeof Streams> =>
  import("@aws-sdk/client-dynamodb-streams").catch(packageMissing("@aws-sdk/client-dynamodb-streams"));

/** A command of the SDK, of whichever of the two services. */
export type AnyCommand = WithMiddleware & { readonly input: object };

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
