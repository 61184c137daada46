import { silentLogger } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startCredentialServices } from "../../test/credential-services.ts";
import { credentialSource } from "./credential-source.ts";

const minute = 60_000;

function setEnv(env: Record<string, string>) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the standard AWS chain", () => {
  for (const service of ["containerEnv", "instanceEnv"] as const) {
    test(`one fetch serves 100 concurrent calls (${service})`, async () => {
      const clock = fakeClock({ startAt: Date.now() });
      await using services = await startCredentialServices(clock, 60 * minute);
      setEnv(services[service]);
      const source = credentialSource(undefined, { clock, logger: silentLogger });

      const all = await Promise.all(Array.from({ length: 100 }, () => source.get()));

      expect(new Set(all.map((each) => each.accessKeyId))).toEqual(new Set(["KEY1"]));
      expect(all[0]).toMatchObject({ secretAccessKey: "secret-of-key-1", sessionToken: "token-of-key-1" });
      expect(services.issuedAt.size).toBe(1);
    });

    test(`credentials are renewed 5 minutes before they end, while calls go on with the old ones (${service})`, async () => {
      const clock = fakeClock({ startAt: Date.now() });
      await using services = await startCredentialServices(clock, 60 * minute);
      setEnv(services[service]);
      const source = credentialSource(undefined, { clock, logger: silentLogger });
      await source.get();

      await clock.advance(54 * minute);
      expect((await source.get()).accessKeyId).toBe("KEY1");
      expect(services.issuedAt.size).toBe(1);

      await clock.advance(1 * minute);
      const during = await Promise.all(Array.from({ length: 100 }, () => source.get()));
      expect(new Set(during.map((each) => each.accessKeyId))).toEqual(new Set(["KEY1"]));
      await expect.poll(async () => (await source.get()).accessKeyId).toBe("KEY2");
      expect(services.issuedAt.size).toBe(2);
    });
  }

  test("keys in variables are used as they are, unless a profile is named", async () => {
    const clock = fakeClock({ startAt: Date.now() });
    setEnv({ AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "secret", AWS_SESSION_TOKEN: "token" });
    const source = credentialSource(undefined, { clock, logger: silentLogger });
    expect(await source.get()).toMatchObject({
      accessKeyId: "AKID",
      secretAccessKey: "secret",
      sessionToken: "token",
    });
    setEnv({
      AWS_PROFILE: "none-such",
      AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
      AWS_CONFIG_FILE: "/dev/null",
    });
    const profiled = credentialSource(undefined, { clock, logger: silentLogger });
    await expect(profiled.get()).rejects.toThrow();
  });

  test("after the credentials have ended, calls wait for one fetch", async () => {
    const clock = fakeClock({ startAt: Date.now() });
    await using services = await startCredentialServices(clock, 60 * minute);
    setEnv(services.containerEnv);
    const source = credentialSource(undefined, { clock, logger: silentLogger });
    await source.get();

    await clock.advance(61 * minute);
    const all = await Promise.all(Array.from({ length: 100 }, () => source.get()));

    expect(new Set(all.map((each) => each.accessKeyId))).toEqual(new Set(["KEY2"]));
    expect(services.issuedAt.size).toBe(2);
  });

  test("without any configuration, the error says what to set", async () => {
    const clock = fakeClock({ startAt: Date.now() });
    await using services = await startCredentialServices(clock, 60 * minute);
    setEnv({ ...services.containerEnv, AWS_CONTAINER_CREDENTIALS_FULL_URI: "" });
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    const source = credentialSource(undefined, { clock, logger: silentLogger });

    await expect(source.get()).rejects.toMatchObject({
      code: "CLIENT_CREDENTIALS_MISSING",
      details: { tried: expect.arrayContaining(["environment", "shared files", "instance metadata"]) },
    });
  });
});

describe("fixed credentials", () => {
  test("are used as they are, and a rejected key stays rejected", async () => {
    const fixed = { accessKeyId: "A", secretAccessKey: "s" };
    const source = credentialSource(fixed, {
      clock: fakeClock({ startAt: Date.now() }),
      logger: silentLogger,
    });
    expect(await source.get()).toBe(fixed);
    expect(await source.refresh(fixed)).toBe(fixed);
  });

  test("a missing field is named, and no value is shown", () => {
    const wrong = { accessKeyId: "", secretAccessKey: "hush" };
    expect(() =>
      credentialSource(wrong, { clock: fakeClock({ startAt: Date.now() }), logger: silentLogger }),
    ).toThrow(
      expect.objectContaining({
        code: "CLIENT_OPTION_INVALID",
        message: expect.not.stringContaining("hush"),
        details: expect.objectContaining({ option: "credentials.accessKeyId" }),
      }),
    );
  });
});
