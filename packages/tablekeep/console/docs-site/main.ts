/** The script of the documentation site: the theme, which the console shares, and the search. */
import "./site.css";

import { applyTheme, nextTheme, theme } from "../shell/theme.ts";
import { startSearch } from "./search-box.ts";

// Before the page is shown, so that it does not flash in another theme.
applyTheme();
document.addEventListener("DOMContentLoaded", () => {
  startThemeButton();
  startSearch(document.documentElement.dataset["root"] ?? "");
  foldMenu();
});

function startThemeButton(): void {
  const button = document.getElementById("theme");
  const show = () =>
    button?.setAttribute("aria-label", `Theme: ${theme.get()}. Choose ${nextTheme(theme.get())}.`);
  button?.addEventListener("click", () => {
    theme.set(nextTheme(theme.get()));
    show();
  });
  show();
}

/** On a narrow screen the contents are above the text, and closed at first. Elsewhere the page's own entry is in view. */
function foldMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>("details.menu");
  if (menu === null) return;
  if (matchMedia("(max-width: 56rem)").matches) menu.open = false;
  const current = menu.querySelector<HTMLElement>("[aria-current]");
  const nav = menu.parentElement;
  if (current !== null && nav !== null && current.offsetTop > nav.clientHeight)
    nav.scrollTop = current.offsetTop - nav.clientHeight / 2;
}
