/** The settings of an SDK client that tell where it sends to. */
interface Addressed {
  readonly config?: {
    readonly endpoint?: () => Promise<{ protocol: string; hostname: string; port?: number }>;
    readonly region?: () => Promise<string>;
  };
}

/** Where an SDK client sends to, for errors. Never throws: a wrong setting is told by the call itself. */
export async function endpointOf(client: object): Promise<string> {
  const { config } = client as Addressed;
  try {
    const custom = await config?.endpoint?.();
    if (custom) return `${custom.protocol}//${custom.hostname}${custom.port ? `:${custom.port}` : ""}`;
    return `DynamoDB in ${await config?.region?.()}`;
  } catch {
    return "DynamoDB";
  }
}
