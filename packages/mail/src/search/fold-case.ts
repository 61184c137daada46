/** Text in which case makes no difference, whatever its neighbours are: JavaScript alone writes a final sigma anew. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}
