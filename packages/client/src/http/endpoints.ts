/** Where the two services of DynamoDB answer, and the region that requests are signed for. */
export interface Endpoints {
  readonly region: string;
  readonly dynamodb: URL;
  readonly streams: URL;
}

const defaultRegion = "us-east-1";

/** The domains of AWS's partitions, by the prefix of their regions' names. */
const partitions: readonly { prefix: string; suffix: string; dualStack: string }[] = [
  { prefix: "cn-", suffix: "amazonaws.com.cn", dualStack: "api.amazonwebservices.com.cn" },
  { prefix: "us-isob-", suffix: "sc2s.sgov.gov", dualStack: "api.aws.scloud" },
  { prefix: "us-isof-", suffix: "csp.hci.ic.gov", dualStack: "api.aws.hci.ic.gov" },
  { prefix: "us-iso-", suffix: "c2s.ic.gov", dualStack: "api.aws.ic.gov" },
  { prefix: "eu-isoe-", suffix: "cloud.adc-e.uk", dualStack: "api.cloud-aws.adc-e.uk" },
  { prefix: "eusc-", suffix: "amazonaws.eu", dualStack: "api.amazonwebservices.eu" },
  { prefix: "", suffix: "amazonaws.com", dualStack: "api.aws" },
];

/** Returns AWS's own endpoints of the region, or the given ones. */
export function resolveEndpoints(given: {
  readonly region?: string;
  readonly endpoint?: string;
  readonly streamsEndpoint?: string;
}): Endpoints {
  const host = hostOf(given.endpoint);
  const region = given.region ?? host?.region ?? defaultRegion;
  const { suffix } = partitionOf(region);
  const dynamodb = new URL(given.endpoint ?? `https://dynamodb.${region}.${suffix}`);
  if (given.streamsEndpoint !== undefined)
    return { region, dynamodb, streams: new URL(given.streamsEndpoint) };
  const streams = new URL(dynamodb);
  // AWS serves streams from a separate host; other servers answer both services.
  const streamsHost =
    given.endpoint === undefined ? `streams.dynamodb.${region}.${suffix}` : host?.streamsHost;
  if (streamsHost !== undefined) streams.hostname = streamsHost;
  return { region, dynamodb, streams };
}

/** Returns the region in the host name of an AWS endpoint; undefined for any other host. */
export function regionOf(endpoint: string | undefined): string | undefined {
  return hostOf(endpoint)?.region;
}

function hostOf(endpoint: string | undefined): AwsHost | undefined {
  return endpoint === undefined ? undefined : awsHost(new URL(endpoint).hostname);
}

interface AwsHost {
  readonly region: string;
  readonly streamsHost: string;
}

/**
 * Reads an AWS host name: `dynamodb`, `dynamodb-fips`, `<account>.ddb` or `<endpoint id>.dynamodb`, then the region, then
 * the partition's domain (`vpce.` before it for an interface endpoint). Account and interface endpoints serve no streams:
 * the region's own host does.
 */
function awsHost(hostname: string): AwsHost | undefined {
  const parts = /^(?:(dynamodb(?:-fips)?)|\d{12}\.ddb|vpce-[^.]+\.dynamodb(?:-fips)?)\.([^.]+)\.(.+)$/.exec(
    hostname,
  );
  const [, service, region, domain] = parts ?? [];
  if (region === undefined || domain === undefined) return undefined;
  const { suffix, dualStack } = partitionOf(region);
  if (![suffix, dualStack, `vpce.${suffix}`].includes(domain)) return undefined;
  const fips = service === "dynamodb-fips" ? "-fips" : "";
  const streamsHost =
    domain === dualStack
      ? `streams-dynamodb${fips}.${region}.${dualStack}`
      : `streams.dynamodb${fips}.${region}.${suffix}`;
  return { region, streamsHost };
}

function partitionOf(region: string): (typeof partitions)[number] {
  const found = partitions.find(({ prefix }) => region.startsWith(prefix));
  // The last entry matches every region.
  return found as (typeof partitions)[number];
}
