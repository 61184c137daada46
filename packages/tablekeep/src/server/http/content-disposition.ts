/**
 * The header that tells a browser to keep a file under this name, or to show it. The name may come from a stranger: what
 * could end the header, or lead out of a folder, is not in it.
 */
export function contentDisposition(how: "attachment" | "inline", fileName: string): string {
  const plain = fileName.replace(/[^\w.@=|+ -]/g, "_").slice(0, 200);
  const exact = plain === fileName ? "" : `; filename*=UTF-8''${encodeURIComponent(fileName)}`;
  return `${how}; filename="${plain}"${exact}`;
}
