import { expect, test } from "vitest";
import { type BindAddresses, type ListenPlaces, listenPlaces } from "./listen-places.ts";

const nothing: ListenPlaces = { host: undefined, httpPort: undefined, smtpPort: undefined };
const noAddress: BindAddresses = { smtp: undefined, api: undefined, ui: undefined };

test("MailHog's addresses give one host and the two ports", () => {
  const all = { smtp: "0.0.0.0:25", api: "0.0.0.0:80", ui: "0.0.0.0:80" };
  const places = { host: "0.0.0.0", httpPort: 80, smtpPort: 25 };
  expect(listenPlaces(nothing, all, noAddress)).toEqual(places);
  expect(listenPlaces(nothing, noAddress, all)).toEqual(places);
  expect(listenPlaces(nothing, noAddress, noAddress)).toEqual(nothing);
});

test("an address without a host is all of the machine's, as in Go; one of IPv6 stands in brackets", () => {
  expect(listenPlaces(nothing, { ...noAddress, smtp: ":25" }, noAddress)).toMatchObject({ host: "0.0.0.0" });
  expect(listenPlaces(nothing, { ...noAddress, ui: "[::1]:80" }, noAddress)).toEqual({
    ...nothing,
    host: "::1",
    httpPort: 80,
  });
});

test("a flag is above a variable, ours and MailHog's alike", () => {
  const variables = { smtp: "0.0.0.0:25", api: "0.0.0.0:80", ui: "0.0.0.0:80" };
  const own = { host: "127.0.0.1", httpPort: 8026, smtpPort: undefined };
  expect(listenPlaces(own, noAddress, variables)).toEqual({ ...own, smtpPort: 25 });
  const flags = { ...noAddress, smtp: "127.0.0.1:26" };
  expect(listenPlaces(nothing, flags, variables)).toEqual({
    host: "127.0.0.1",
    httpPort: 80,
    smtpPort: 26,
  });
});

test.each([
  [nothing, { smtp: "127.0.0.1:25", api: "0.0.0.0:80" }, "--api-bind-addr says 0.0.0.0: all listen on one"],
  [nothing, { api: ":80", ui: ":81" }, "--ui-bind-addr says 81: the web page and the API share one port"],
  [{ ...nothing, host: "::1" }, { smtp: ":25" }, "--host says ::1 and --smtp-bind-addr says 0.0.0.0"],
  [{ ...nothing, smtpPort: 26 }, { smtp: ":25" }, "--smtp-port says 26 and --smtp-bind-addr says 25"],
])("%j with %j is refused", (given, flags, words) => {
  const listen = () => listenPlaces(given, { ...noAddress, ...flags }, noAddress);
  expect(listen).toThrow(
    expect.objectContaining({ code: "CLI_OPTION_CONFLICT", message: expect.stringContaining(words) }),
  );
});

test.each(["25", "127.0.0.1", "::1:25", "127.0.0.1:99999", "http://127.0.0.1:80"])(
  "%j is no address",
  (smtp) => {
    expect(() => listenPlaces(nothing, noAddress, { ...noAddress, smtp })).toThrow(
      expect.objectContaining({ code: "CLI_VALUE_INVALID" }),
    );
  },
);
