import { type Hit, type SearchIndex, searchDocs } from "./search.ts";

/** Starts the search box: it loads the index when it is first used. `root` leads to the root of the site. */
export function startSearch(root: string): void {
  const input = document.querySelector<HTMLInputElement>("#query");
  const list = document.querySelector<HTMLElement>("#results");
  if (input === null || list === null) return;
  let index: Promise<SearchIndex> | undefined;
  let chosen = -1;
  const load = () => {
    index ??= fetchIndex(root).catch((error: unknown) => {
      index = undefined;
      throw error;
    });
    return index;
  };
  const links = () => [...list.querySelectorAll<HTMLAnchorElement>("a")];
  const choose = (next: number) => {
    const all = links();
    chosen = Math.max(-1, Math.min(next, all.length - 1));
    for (const [at, link] of all.entries()) link.classList.toggle("chosen", at === chosen);
    all[chosen]?.scrollIntoView({ block: "nearest" });
  };
  const close = () => {
    list.hidden = true;
    choose(-1);
  };
  const show = async () => {
    const query = input.value;
    if (query.trim() === "") return close();
    try {
      const hits = searchDocs(await load(), query);
      // A later key has changed the query while the index was loading.
      if (input.value !== query) return;
      list.replaceChildren(...shown(hits, root));
    } catch {
      list.replaceChildren(note("The search is not available: the server does not answer."));
    }
    list.hidden = false;
    choose(hitsIn(list) > 0 ? 0 : -1);
  };
  input.addEventListener("focus", () => void load().catch(() => {}));
  input.addEventListener("input", () => void show());
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") links()[chosen]?.click();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", () => close());
  document.addEventListener("click", ({ target }) => {
    if (target !== input && !list.contains(target as Node)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === input) return;
    event.preventDefault();
    input.focus();
  });
}

async function fetchIndex(root: string): Promise<SearchIndex> {
  const answer = await fetch(`${root}search.json`, { signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as SearchIndex;
}

function hitsIn(list: HTMLElement): number {
  return list.querySelectorAll("a").length;
}

function shown(hits: readonly Hit[], root: string): Node[] {
  if (hits.length === 0) return [note("Nothing found.")];
  return hits.map(({ address, page, heading, excerpt }) => {
    const link = document.createElement("a");
    link.href = root + address;
    const title = document.createElement("strong");
    title.textContent = page === heading ? page : `${page}: ${heading}`;
    const text = document.createElement("span");
    for (const [at, part] of excerpt.entries()) {
      const node = at % 2 === 0 ? document.createTextNode(part) : document.createElement("mark");
      if (at % 2 === 1) node.textContent = part;
      text.append(node);
    }
    link.append(title, text);
    return link;
  });
}

function note(text: string): HTMLElement {
  const line = document.createElement("p");
  line.setAttribute("role", "status");
  line.textContent = text;
  return line;
}
