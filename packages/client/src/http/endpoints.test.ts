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
    ["us-iso-east-1", "https://dynamodb.us-iso-east-1.c2s.ic.gov"],
    ["us-isob-east-1", "https://dynamodb.us-isob-east-1.sc2s.sgov.gov"],
    ["eusc-de-east-1", "https://dynamodb.eusc-de-east-1.amazonaws.eu"],
  ])("%s is in a partition of its own", (region, origin) => {
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

  test("an endpoint of AWS tells its region and its host for streams", () => {
    expect(hosts({ endpoint: "https://dynamodb.ap-south-1.amazonaws.com" })).toEqual([
      "ap-south-1",
      "https://dynamodb.ap-south-1.amazonaws.com",
      "https://streams.dynamodb.ap-south-1.amazonaws.com",
    ]);
    expect(hosts({ endpoint: "https://dynamodb.evil.example.com" })[0]).toBe("us-east-1");
  });
});
