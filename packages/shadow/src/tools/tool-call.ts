import { checkPort, type DynamoPort, type OptionChecks, optionCheck } from "@tablekeep/core";
import { optionInvalid } from "../model/shadow-error.ts";
import {
  beginCall,
  resolveShadowsOptions,
  type ShadowsOptions,
  type StoreCall,
} from "../store/store-options.ts";

/** Common options of all tools. */
export interface ShadowToolOptions {
  /** Stops the tool. Completed work is kept, and the tool can be run again. @default none */
  readonly signal?: AbortSignal;
  /** Called from time to time with the number of items so far. @default none */
  readonly onProgress?: (items: number) => void;
}

/** The checks of {@link ShadowToolOptions}. */
export const toolChecks: OptionChecks<ShadowToolOptions> = {
  signal: optionCheck.signal,
  onProgress: optionCheck.callback,
};

/** Begins the calls of a tool: the store's deadline is that of each part of the work. */
export function toolCalls(
  port: DynamoPort,
  store: ShadowsOptions,
  { signal }: ShadowToolOptions,
): () => StoreCall {
  checkPort(port, optionInvalid);
  const options = resolveShadowsOptions(store);
  return () => beginCall({ port, options }, { signal });
}
