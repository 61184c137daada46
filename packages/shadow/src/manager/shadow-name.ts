/** A shadow by its name. */
export interface ShadowName {
  /** The thing. */
  readonly id: string;
  /** The shadow's name. @default "", the classic shadow */
  readonly name?: string;
}
