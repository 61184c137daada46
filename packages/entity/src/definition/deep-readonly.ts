/**
 * A type that nobody changes, all the way down. What `decide` and `evolve` give is taken as it is written, literals
 * included, and that makes its arrays read-only: the host changes none of them.
 */
export type DeepReadonly<Value> = unknown extends Value
  ? Value
  : Value extends string | number | boolean | bigint | symbol | null | undefined | Uint8Array
    ? Value
    : { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> };
