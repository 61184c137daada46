/** The index of the documentation, as the build writes it. */
export interface SearchIndex {
  /** File and title of each page. */
  readonly pages: readonly (readonly [file: string, title: string])[];
  readonly sections: readonly (readonly [page: number, anchor: string, heading: string, text: string])[];
}

/** A section that contains all words of a query. */
export interface Hit {
  readonly address: string;
  readonly page: string;
  readonly heading: string;
  /** The text around the first word that was found; the odd parts are words of the query. */
  readonly excerpt: readonly string[];
}

const maxHits = 20;
const excerptChars = 140;

/** Returns the sections that contain all words of the query, the best first. */
export function searchDocs({ pages, sections }: SearchIndex, query: string): readonly Hit[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const found = sections.flatMap(([page, anchor, heading, text]) => {
    const [file, title] = pages[page] ?? ["", ""];
    const score = scoreOf(words, { title, heading, text }) * (isForContributors(file) ? 0.25 : 1);
    return score === 0 ? [] : [{ score, file, title, anchor, heading, text }];
  });
  return found
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxHits)
    .map(({ file, title, anchor, heading, text }) => ({
      address: anchor === "" ? file : `${file}#${anchor}`,
      page: title,
      heading,
      excerpt: excerptOf(text, words),
    }));
}

/** Whether a page describes the code. Users of the program rarely search for these pages, so they rank lower. */
function isForContributors(file: string): boolean {
  return file === "architecture.html" || file.startsWith("contributing/");
}

/** 0 if a word is missing. Headings count more than text, titles of pages most, and whole words more than parts of words. */
function scoreOf(
  words: readonly string[],
  { title, heading, text }: { readonly title: string; readonly heading: string; readonly text: string },
): number {
  const [inTitle, inHeading, inText] = [title.toLowerCase(), heading.toLowerCase(), text.toLowerCase()];
  let score = 0;
  for (const word of words) {
    const points =
      pointsIn(inHeading, word) * 8 +
      pointsIn(inTitle, word) * (inTitle === inHeading ? 8 : 3) +
      pointsIn(inText, word);
    if (points === 0) return 0;
    score += points;
  }
  return score;
}

/** 2 if the string has the whole word, 1 if it has it as a part, 0 if not. */
function pointsIn(text: string, word: string): number {
  let at = text.indexOf(word);
  if (at === -1) return 0;
  for (; at !== -1; at = text.indexOf(word, at + 1)) {
    const isWhole = !isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + word.length]);
    if (isWhole) return 2;
  }
  return 1;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

/** The text around the first word, cut at the words, so that the odd parts can be marked. */
function excerptOf(text: string, words: readonly string[]): readonly string[] {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at !== -1);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const begin = first < 40 ? 0 : text.lastIndexOf(" ", first - 30) + 1;
  const end = text.length - begin <= excerptChars ? text.length : begin + excerptChars;
  const shown = `${begin > 0 ? "… " : ""}${text.slice(begin, end)}${end < text.length ? " …" : ""}`;
  const pattern = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return shown.split(new RegExp(`(${pattern})`, "i"));
}
