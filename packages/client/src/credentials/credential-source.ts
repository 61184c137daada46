import type { Clock, Logger } from "@tablekeep/core";
import {
  type CredentialProvider,
  type CredentialSource,
  type Credentials,
  checkCredentials,
} from "./credentials.ts";
import { refreshingSource } from "./refreshing-source.ts";
import { standardChain } from "./standard-chain.ts";

/** Dependencies of {@link credentialSource}. */
interface CredentialSourceOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Returns the source for the given credentials: fixed ones, a provider, or none, which means the standard AWS chain
 * (environment, shared files, SSO, web identity, container, instance), loaded from `@aws-sdk/credential-providers` when
 * first used. Fixed credentials are checked here and throw `CLIENT_OPTION_INVALID`. For signers of other services than DynamoDB.
 *
 * @example
 * const keys = await credentialSource(undefined, { clock: systemClock, logger: silentLogger }).get();
 */
export function credentialSource(
  given: Credentials | CredentialProvider | undefined,
  options: CredentialSourceOptions,
): CredentialSource {
  if (given === undefined) return refreshingSource("the standard AWS chain", standardChain(), options);
  if (typeof given === "function") return refreshingSource("the given provider", given, options);
  const fixed = checkCredentials(given, "credentials");
  return { get: async () => fixed, refresh: async () => fixed };
}
