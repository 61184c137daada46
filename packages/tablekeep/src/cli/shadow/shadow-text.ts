/** A shadow in a message: `shadow of "lamp"`, or `shadow "config" of "lamp"`. */
export function shadowText({ id, name = "" }: { readonly id: string; readonly name?: string }): string {
  return `shadow ${name === "" ? "" : `${JSON.stringify(name)} `}of ${JSON.stringify(id)}`;
}
