import type { Client } from "aedes";

/** Messages that came and whose clients were not yet told that they are done. */
export class Acknowledgements {
  readonly #owed = new Map<Client, number>();
  #wake: (() => void)[] = [];

  /** A message of `client` has come. */
  owe(client: Client): void {
    this.#owed.set(client, (this.#owed.get(client) ?? 0) + 1);
  }

  /** `client` was told of one, or it failed. */
  given(client: Client): void {
    const rest = (this.#owed.get(client) ?? 0) - 1;
    if (rest > 0) this.#owed.set(client, rest);
    else this.forget(client);
  }

  /** `client` has gone: nobody can tell it any more. */
  forget(client: Client): void {
    this.#owed.delete(client);
    if (this.#owed.size > 0) return;
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** Resolves once nobody waits to be told. */
  async settled(): Promise<void> {
    if (this.#owed.size > 0) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }
}
