/** Where the two services of DynamoDB answer, and the region that requests are signed for. */
export interface Endpoints {
  readonly region: string;
  readonly dynamodb: URL;
  readonly streams: URL;
}

const defaultRegion = "us-east-1";

/** Regions whose hosts do not end in amazonaws.com, by the beginning of their names. */
const partitions: readonly (readonly [prefix: string, suffix: string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-iso-", "c2s.ic.gov"],
  ["eusc-", "amazonaws.eu"],
];

/** AWS's own endpoints of the region, or what is given instead. */
export function resolveEndpoints(given: {
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly streamsEndpoint?: string | undefined;
}): Endpoints {
  const region = given.region ?? regionOf(given.endpoint) ?? defaultRegion;
  const suffix = partitions.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "amazonaws.com";
  const dynamodb = new URL(given.endpoint ?? `https://dynamodb.${region}.${suffix}`);
  return {
    region,
    dynamodb,
    streams: given.streamsEndpoint === undefined ? streamsBeside(dynamodb) : new URL(given.streamsEndpoint),
  };
}

/** AWS answers for streams on a host of its own; other servers do not. */
function streamsBeside(dynamodb: URL): URL {
  if (regionOf(dynamodb.href) === undefined) return dynamodb;
  const streams = new URL(dynamodb);
  streams.hostname = `streams.${dynamodb.hostname}`;
  return streams;
}

/** The region in the host name of an AWS endpoint; undefined for any other host. */
export function regionOf(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined) return undefined;
  const suffixes = ["amazonaws.com", ...partitions.map(([, suffix]) => suffix)];
  const { hostname } = new URL(endpoint);
  const [service, region, ...rest] = hostname.split(".");
  return service === "dynamodb" && suffixes.includes(rest.join(".")) ? region : undefined;
}
