import { expect, test } from "vitest";
import { isLinkLocal, isPrivateAddress, relayAddress, systemAddresses } from "./relay-address.ts";
import type { Relay } from "./relays.ts";

const refused = [
  ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254", "127.0.0.1"],
  ...["127.255.0.1", "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8"],
  ...["192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255"],
  ...["198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"],
  ...[
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
  ],
  ...[
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "2002:7f00:1::",
  ],
  ...[
    "2002:a9fe:a9fe::1",
    "3fff::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
  ],
  ...["2606:4700::5efe:7f00:1", "2606:4700::200:5efe:10.0.0.1", "2606:4700:0:0:0:5efe:a00:1"],
  ...["", "localhost", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "1.2.3.4.5"],
];

test.each(refused)("%j is not on the public internet", (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "100.63.0.1",
  "172.32.0.1",
  "192.167.0.1",
  "2606:4700:4700::1111",
  "2a00:1450::1",
])("%j is", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

const relay = (host: string, allowPrivate = false): Relay => ({ name: "r", host, port: 25, allowPrivate });
const leadsTo =
  (...addresses: string[]) =>
  () =>
    Promise.resolve(addresses);

test("rejects a name that resolves to a private address, unless that is allowed", async () => {
  for (const address of ["127.0.0.1", "10.0.0.1", "::1"]) {
    await expect(relayAddress(relay("mail.example"), leadsTo(address))).rejects.toMatchObject({
      code: "RELEASE_ADDRESS_REFUSED",
      details: { relay: "r", address },
    });
    expect(await relayAddress(relay("mail.example", true), leadsTo(address))).toBe(address);
  }
  expect(await relayAddress(relay("mail.example"), leadsTo("8.8.8.8", "127.0.0.1"))).toBe("8.8.8.8");
});

test("never connects to a cloud's metadata service, however its address is written", async () => {
  for (const host of ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1"]) {
    expect(isLinkLocal(host)).toBe(true);
    await expect(relayAddress(relay(host, true), leadsTo())).rejects.toMatchObject({ kind: "denied" });
  }
  await expect(relayAddress(relay("mail.example", true), leadsTo("169.254.169.254"))).rejects.toMatchObject({
    kind: "denied",
  });
});

test("allows a private address or localhost that is configured literally", async () => {
  expect(await relayAddress(relay("10.0.0.1"), leadsTo())).toBe("10.0.0.1");
  expect(await relayAddress(relay("localhost"), leadsTo("127.0.0.1"))).toBe("127.0.0.1");
});

test.each(["2130706433", "0x7f.1", "0177.0.0.1", "127.1"])(
  "%s does not bypass the check, although systems accept it",
  async (host) => {
    await expect(relayAddress(relay(host), systemAddresses)).rejects.toMatchObject({
      code: expect.stringMatching(/^RELEASE_(ADDRESS_REFUSED|FAILED)$/),
    });
  },
);

test("a name without an address may have one later", async () => {
  const failing = () => Promise.reject(new Error("ENOTFOUND"));
  for (const find of [failing, leadsTo()]) {
    await expect(relayAddress(relay("mail.example"), find)).rejects.toMatchObject({
      code: "RELEASE_FAILED",
      retryable: true,
      ambiguous: false,
    });
  }
});
