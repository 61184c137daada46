import { isIPv4 } from "node:net";

/** Whether only this machine reaches `host`. A name other than localhost may mean anything, so it does not count. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}
