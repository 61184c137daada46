import type { Clock, DynamoPort, Random } from "@tablekeep/core";
import { type CallTime, type ShadowCallOptions, startCall } from "../model/call-options.ts";
import type { ResolvedShadowsOptions } from "./store-options.ts";

/** What the parts of a store depend on. */
export interface StoreContext {
  readonly port: DynamoPort;
  readonly options: ResolvedShadowsOptions;
}

/** One call of a store: the store, and the time that the call has. */
export interface StoreCall extends StoreContext {
  /** Options of each request of the call. */
  request(): ReturnType<CallTime["remaining"]> & { readonly clock: Clock; readonly random: Random };
  /** Nanoseconds since 1970. */
  nanoseconds(): bigint;
}

/** Begins a call. */
export function beginCall(context: StoreContext, options: ShadowCallOptions): StoreCall {
  const { clock, random, deadlineMs } = context.options;
  const time = startCall(clock, options, deadlineMs);
  return {
    ...context,
    request: () => ({ ...time.remaining(), clock, random }),
    nanoseconds: () => BigInt(Math.floor(clock.now())) * 1_000_000n,
  };
}
