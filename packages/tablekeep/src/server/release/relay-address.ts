import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { isLoopback } from "../listening/listener.ts";
import { type Relay, ReleaseError } from "./relays.ts";

const notPublic = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  notPublic.addSubnet(network, prefix, "ipv4");
}
// Within the allocated addresses (2000::/3): tunnels and translations that lead to an IPv4 address, examples.
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  notPublic.addSubnet(network, prefix, "ipv6");
}
const given = new BlockList();
given.addSubnet("2000::", 3, "ipv6");

const linkLocal = new BlockList();
linkLocal.addSubnet("169.254.0.0", 16, "ipv4");
linkLocal.addSubnet("fe80::", 10, "ipv6");

/** ISATAP hides an IPv4 address in the last bytes of an IPv6 address of any network. */
const isatap = /:(?:0|200)?:?5efe:[0-9a-f]{0,4}:?[0-9a-f.]{0,15}$/i;

/** Whether `address` is not, or may not be, on the public internet. */
export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) return notPublic.check(address, "ipv4");
  if (!isIPv6(address)) return true;
  return !given.check(address, "ipv6") || notPublic.check(address, "ipv6") || isatap.test(address);
}

/** Whether `address` is link-local, where clouds have their metadata service. */
export function isLinkLocal(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const plain = mapped ?? address;
  const family = isIP(plain);
  return family !== 0 && linkLocal.check(plain, family === 4 ? "ipv4" : "ipv6");
}

/** Finds the addresses of a name. */
export type FindAddresses = (name: string) => Promise<readonly string[]>;

/** Uses the system's resolver. */
export const systemAddresses: FindAddresses = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * The address to connect to: resolved once and checked, so that a name that resolves differently a moment later has no
 * effect. A private address or localhost in the configuration is intentional; a name that resolves to one may not be.
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
      `${host} resolves to ${address}, which is not a public address: set AllowPrivate for relay ${relay.name} to allow it`,
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
  const message = `the host of relay ${relay.name} has no address: check its name, or try again later`;
  return new ReleaseError("RELEASE_FAILED", message, { relay: relay.name }, { retryable: true, cause });
}
