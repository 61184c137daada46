import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connect } from "../connect.ts";
import { profileRegion } from "./profile-region.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "profile-region-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const config = `
# settings
[default]
region = eu-west-1
[profile work]
s3 =
  region = not-this-one
region=ap-south-1 ; a comment
[profile "two words"]
region = sa-east-1
[profile empty]
output = json
[work]
region = not-this-either
`;

test.each([
  ["the default", {}, config, ""],
  ["a named one", { AWS_PROFILE: "work" }, config, ""],
  ["one in the file of credentials", { AWS_PROFILE: "work" }, config, "[work]\nregion = ca-west-1\n"],
  [
    "one that both forms of a title name",
    {},
    "[default]\nregion = a-1\n[profile default]\nregion = b-1\n",
    "",
  ],
  [
    "the same in the other order",
    {},
    "[profile default]\r\nregion = b-1\r\n[default]\r\nregion = a-1\r\n",
    "",
  ],
])("the region of a profile is that of the AWS SDK: %s", async (_name, selected, settings, keys) => {
  const env = {
    ...selected,
    AWS_CONFIG_FILE: write("config", settings),
    AWS_SHARED_CREDENTIALS_FILE: write("credentials", keys),
  };
  for (const name of ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"]) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const client = new DynamoDBClient({});
  expect(profileRegion(env)?.region).toBe(await client.config.region());
  client.destroy();
});

test("a profile may have a name of two words, as in the AWS CLI", () => {
  const env = { AWS_CONFIG_FILE: write("config", config), AWS_PROFILE: "two words" };
  expect(profileRegion(env)?.region).toBe("sa-east-1");
});

test("there is none without a file, a home or a setting", () => {
  expect(profileRegion({})).toBeUndefined();
  expect(profileRegion({ HOME: folder })).toBeUndefined();
  expect(profileRegion({ AWS_CONFIG_FILE: folder })).toBeUndefined();
  const AWS_CONFIG_FILE = write("config", config);
  expect(profileRegion({ AWS_CONFIG_FILE, AWS_PROFILE: "empty" })).toBeUndefined();
  expect(profileRegion({ AWS_CONFIG_FILE, AWS_PROFILE: "unknown" })).toBeUndefined();
});

test("it is read from the home folder, and an invalid one is an error", () => {
  mkdirSync(join(folder, ".aws"));
  write(".aws/config", "[default]\nregion = eu west\n");
  expect(profileRegion({ HOME: folder })?.region).toBe("eu west");
  expect(() => connect({ env: { HOME: folder } })).toThrow(
    expect.objectContaining({ code: "CLIENT_OPTION_INVALID" }),
  );
});
