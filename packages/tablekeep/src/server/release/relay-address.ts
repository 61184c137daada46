import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isLoopback } from "../loopback.ts";
import { isLinkLocal, isPrivateAddress } from "./private-address.ts";
import type { Relay } from "./relays.ts";
import { ReleaseError } from "./release-error.ts";

/** Finds the addresses of a name. */
export type FindAddresses = (name: string) => Promise<readonly string[]>;

/** As the system finds them. */
export const systemAddresses: FindAddresses = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * The address to connect to: looked up once and judged, so that a name which leads elsewhere a moment later is not
 * followed. Whoever configured a private address itself, or localhost, meant it; a name that leads to one may lie.
 */
export async function relayAddress(relay: Relay, find: FindAddresses): Promise<string> {
  const { host, allowPrivate = false } = relay;
  const literal = isIP(host) !== 0;
  const [address] = literal ? [host] : await addressesOf(relay, find);
  if (address === undefined) throw unreachable(relay);
  const meant = literal || allowPrivate || isLoopback(host);
  if (isLinkLocal(address) || (!meant && isPrivateAddress(address))) {
    throw new ReleaseError(
      "RELEASE_ADDRESS_REFUSED",
      `${host} leads to ${address}, which is not on the public internet: set AllowPrivate for relay ${relay.name} if it should`,
      { relay: relay.name, address },
    );
  }
  return address;
}

async function addressesOf(relay: Relay, find: FindAddresses): Promise<readonly string[]> {
  try {
    return await find(relay.host);
  } catch (error) {
    throw unreachable(relay, error);
  }
}

function unreachable(relay: Relay, cause?: unknown): ReleaseError {
  const message = `the host of relay ${relay.name} has no address: look at its name, or try again later`;
  return new ReleaseError("RELEASE_FAILED", message, { relay: relay.name }, { retryable: true, cause });
}
