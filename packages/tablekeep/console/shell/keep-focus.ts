/** An element that had the focus, and its surroundings. */
interface Focused {
  readonly element: HTMLElement;
  /** Its ancestors, the nearest first. */
  readonly path: readonly HTMLElement[];
  /** The controls of the page at that time, in their order. */
  readonly controls: readonly HTMLElement[];
}

const controlSelector =
  "a[href], button, input, select, textarea, summary, [contenteditable=true], [tabindex='0']";
/** Regions of the page: the new focus depends on what they show, not on which control was next. */
const regionSelector = "main, .split-list, .split-detail, article, .split, #app, body";
/** Layers over the page: afterwards the focus is where it was before. */
const layerSelector = "dialog, .toasts";
const maxRemembered = 8;

/**
 * Keeps the focus in the page, once a page. If the control that has it is removed or disabled, the focus moves to the next control beside
 * it, to the current row of the list, or to a heading; a browser would put it at the beginning of the page.
 */
export function keepFocus(): void {
  const remembered: Focused[] = [];
  /** A region that has the focus until it shows something better. */
  let waiting: HTMLElement | undefined;
  /** A control that is disabled while something runs, and what has the focus until then. */
  let paused: { readonly control: HTMLElement; readonly place: HTMLElement } | undefined;
  addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement) || target === waiting) return;
    waiting = undefined;
    if (target !== paused?.place) paused = undefined;
    remembered.push({ element: target, path: ancestorsOf(target), controls: controlsIn(document.body) });
    if (remembered.length > maxRemembered) remembered.shift();
  });
  addEventListener("focusout", ({ target, relatedTarget }) => {
    if (relatedTarget !== null) return;
    queueMicrotask(() => {
      // The user has left it, by Esc or a click elsewhere.
      const isLeft = document.hasFocus() && target instanceof HTMLElement && isUsable(target);
      if (!isLeft || document.activeElement !== document.body) return;
      remembered.length = 0;
      paused = undefined;
    });
  });
  const check = () => {
    const last = remembered.at(-1);
    const { activeElement } = document;
    const isFree = activeElement === document.body || activeElement === paused?.place;
    if (paused !== undefined && isFree && isUsable(paused.control)) paused.control.focus();
    else if (waiting !== undefined && activeElement === waiting) {
      const better = contentOf(waiting);
      if (better !== undefined) moveTo(better);
    } else if (last !== undefined && isLost(last.element, activeElement)) {
      const isPaused = last.element.isConnected && last.element.matches(":disabled");
      const place = isPaused ? placeMeanwhile(last) : placeAfter(remembered);
      if (isPaused) paused = { control: last.element, place };
      else if (place.matches(regionSelector)) waiting = place;
      moveTo(place);
    }
  };
  new MutationObserver(check).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["disabled", "open"],
  });
}

/** Whether an element had the focus, and nothing has it now. Most changes to a page end at the first comparison. */
function isLost(element: HTMLElement, active: Element | null): boolean {
  if (active === element) return element.matches(":disabled");
  return (active === null || active === document.body) && !isUsable(element);
}

function ancestorsOf(element: HTMLElement): HTMLElement[] {
  const path: HTMLElement[] = [];
  for (let each = element.parentElement; each !== null; each = each.parentElement) path.push(each);
  return path;
}

/** Returns the new focus after the element that had it was removed. */
function placeAfter(remembered: readonly Focused[]): HTMLElement {
  const lost = remembered.at(-1) as Focused;
  const layer = lost.path.find((each) => each.matches(layerSelector));
  if (layer !== undefined) {
    const inLayer = layer.isConnected ? besideOf(lost, layer) : undefined;
    const before = remembered.findLast(({ path }) => !path.some((each) => each.matches(layerSelector)));
    if (inLayer !== undefined) return inLayer;
    if (before !== undefined) return isUsable(before.element) ? before.element : placeOf(before);
  }
  return placeOf(lost);
}

/** Where the focus is until a control can be used again: beside it, or at its part of the page. */
function placeMeanwhile(lost: Focused): HTMLElement {
  const at = lost.path.findIndex((each) => each.matches(`${regionSelector}, dialog`));
  const [region = document.body] = lost.path.slice(at);
  for (const each of lost.path.slice(0, at)) {
    const found = besideOf(lost, each);
    if (found !== undefined) return found;
  }
  return region;
}

function placeOf(lost: Focused): HTMLElement {
  let region: HTMLElement | undefined;
  for (const each of lost.path) {
    if (!each.isConnected) continue;
    const isRegion = each.matches(regionSelector);
    const found = isRegion ? contentOf(each) : besideOf(lost, each);
    if (found !== undefined) return found;
    if (isRegion) region ??= each;
    if (each.matches("main")) return region ?? each;
  }
  return document.querySelector("main") ?? document.body;
}

/** A new control in place of the lost one; otherwise the next one, or the previous. */
function besideOf({ element, controls }: Focused, container: HTMLElement): HTMLElement | undefined {
  const now = controlsIn(container).filter((each) => each !== element && isUsable(each));
  const known = new Map(controls.map((each, at) => [each, at]));
  const place = known.get(element) ?? 0;
  const isNext = (each: HTMLElement) => (known.get(each) ?? -1) > place;
  return now.find((each) => !known.has(each)) ?? now.find(isNext) ?? now.at(-1);
}

/** The main element of a region: the current row of its list, or its heading. */
function contentOf(region: HTMLElement): HTMLElement | undefined {
  const found = ["a[data-index][tabindex='0']", "a[data-index]", "h2, h3"].map((selector) =>
    [...region.querySelectorAll<HTMLElement>(selector)].find(isUsable),
  );
  return found.find((each) => each !== undefined);
}

function controlsIn(container: HTMLElement): HTMLElement[] {
  return [...container.querySelectorAll<HTMLElement>(controlSelector)];
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(":disabled") && element.getClientRects().length > 0;
}

function moveTo(place: HTMLElement): void {
  if (!place.matches(controlSelector)) place.tabIndex = -1;
  place.focus();
}
