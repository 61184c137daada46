/** The first characters of a text. A pair of surrogates stays whole: half of one is no text, and is not stored as it is. */
export function cutText(text: string, longest: number): string {
  const cut = text.slice(0, longest);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
