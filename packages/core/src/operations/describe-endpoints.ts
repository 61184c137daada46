export type DescribeEndpointsInput = Record<never, never>;

export interface DescribeEndpointsOutput {
  Endpoints: Endpoint[] | undefined;
}

export interface Endpoint {
  Address: string | undefined;
  CachePeriodInMinutes: number | undefined;
}
