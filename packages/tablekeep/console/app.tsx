import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { screens } from "./screens.ts";
import { Questions } from "./shell/confirm.tsx";
import { KeyMapDialog } from "./shell/key-map.tsx";
import { useKeys } from "./shell/keyboard.ts";
import { placeOf } from "./shell/route.ts";
import { Toasts } from "./shell/toasts.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { goTo, useRoute } from "./shell/use-route.ts";

/** The console: the top bar and one screen. */
export function App(): VNode {
  const route = useRoute();
  const [showsKeys, setShowsKeys] = useState(false);
  const screen = screens.find(({ name }) => name === route.screen) ?? screens[0];
  useKeys({
    ...Object.fromEntries(
      screens.map(({ name, title, key }) => [
        `g ${key}`,
        { does: `Go to ${title}`, run: () => goTo(placeOf([name])) },
      ]),
    ),
    "?": { does: "Show these keys", run: () => setShowsKeys(true) },
  });
  useEffect(() => {
    document.title = `${screen.title} · Tablekeep`;
  }, [screen]);
  const View = screen.view;
  return (
    <>
      <TopBar screens={screens} current={screen.name} onShowKeys={() => setShowsKeys(true)} />
      <main id="screen">
        <h1 class="unseen">{screen.title}</h1>
        <View key={screen.name} route={route} />
      </main>
      <Questions />
      <Toasts />
      {showsKeys && <KeyMapDialog onClose={() => setShowsKeys(false)} />}
    </>
  );
}
