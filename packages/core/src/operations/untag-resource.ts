export interface UntagResourceInput {
  ResourceArn: string | undefined;
  TagKeys: string[] | undefined;
}

export type UntagResourceOutput = Record<never, never>;
