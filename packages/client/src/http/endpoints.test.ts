import { describe, expect, test } from "vitest";
import { resolveEndpoints } from "./endpoints.ts";

const hosts = (given: Parameters<typeof resolveEndpoints>[0]) => {
  const { region, dynamodb, streams } = resolveEndpoints(given);
  return [region, dynamodb.origin, streams.origin];
};

describe("resolveEndpoints", () => {
  test("AWS has one host for tables and one for streams in each region", () => {
    expect(hosts({ region: "eu-west-1" })).toEqual([
      "eu-west-1",
      "https://dynamodb.eu-west-1.amazonaws.com",
      "https://streams.dynamodb.eu-west-1.amazonaws.com",
    ]);
    expect(hosts({})[0]).toBe("us-east-1");
  });

  test.each([
    ["cn-north-1", "https://dynamodb.cn-north-1.amazonaws.com.cn"],
    ["us-gov-west-1", "https://dynamodb.us-gov-west-1.amazonaws.com"],
    ["us-isof-south-1", "https://dynamodb.us-isof-south-1.csp.hci.ic.gov"],
    ["eu-isoe-west-1", "https://dynamodb.eu-isoe-west-1.cloud.adc-e.uk"],
    ["us-iso-east-1", "https://dynamodb.us-iso-east-1.c2s.ic.gov"],
    ["us-isob-east-1", "https://dynamodb.us-isob-east-1.sc2s.sgov.gov"],
    ["eusc-de-east-1", "https://dynamodb.eusc-de-east-1.amazonaws.eu"],
  ])("%s is in a separate partition", (region, origin) => {
    expect(hosts({ region })[1]).toBe(origin);
    expect(hosts({ region })[2]).toBe(origin.replace("//", "//streams."));
  });

  test("any other server answers for both services", () => {
    expect(hosts({ endpoint: "http://127.0.0.1:8000" })).toEqual([
      "us-east-1",
      "http://127.0.0.1:8000",
      "http://127.0.0.1:8000",
    ]);
    expect(hosts({ endpoint: "http://a:1", streamsEndpoint: "http://b:2" }).slice(1)).toEqual([
      "http://a:1",
      "http://b:2",
    ]);
  });

  test.each([
    ["dynamodb-fips.us-west-2.amazonaws.com", "us-west-2", "streams.dynamodb-fips.us-west-2.amazonaws.com"],
    ["dynamodb.eu-west-1.api.aws", "eu-west-1", "streams-dynamodb.eu-west-1.api.aws"],
    ["dynamodb-fips.us-east-2.api.aws", "us-east-2", "streams-dynamodb-fips.us-east-2.api.aws"],
    ["123456789012.ddb.eu-west-1.amazonaws.com", "eu-west-1", "streams.dynamodb.eu-west-1.amazonaws.com"],
    ["123456789012.ddb.eu-west-1.api.aws", "eu-west-1", "streams-dynamodb.eu-west-1.api.aws"],
    [
      "vpce-1a2b-3c4d.dynamodb.ap-south-1.vpce.amazonaws.com",
      "ap-south-1",
      "streams.dynamodb.ap-south-1.amazonaws.com",
    ],
    [
      "dynamodb.cn-north-1.api.amazonwebservices.com.cn",
      "cn-north-1",
      "streams-dynamodb.cn-north-1.api.amazonwebservices.com.cn",
    ],
  ])("%s is signed for %s and has its streams at %s", (host, region, streams) => {
    expect(hosts({ endpoint: `https://${host}` })).toEqual([region, `https://${host}`, `https://${streams}`]);
  });

  test.each([
    "dynamodb.eu-west-1.amazonaws.com.evil.example",
    "dynamodb.cn-north-1.amazonaws.com",
    "x.dynamodb.eu-west-1.amazonaws.com",
    "1234.ddb.eu-west-1.amazonaws.com",
  ])("%s is not a host of AWS", (host) => {
    expect(hosts({ endpoint: `https://${host}` })).toEqual([
      "us-east-1",
      `https://${host}`,
      `https://${host}`,
    ]);
  });

  test("derives region and streams host from an AWS endpoint", () => {
    expect(hosts({ endpoint: "https://dynamodb.ap-south-1.amazonaws.com" })).toEqual([
      "ap-south-1",
      "https://dynamodb.ap-south-1.amazonaws.com",
      "https://streams.dynamodb.ap-south-1.amazonaws.com",
    ]);
    expect(hosts({ endpoint: "https://dynamodb.evil.example.com" })[0]).toBe("us-east-1");
  });
});
