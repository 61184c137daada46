import "./style/base.css";
import "./style/shell.css";
import "./style/list.css";
import "./style/parts.css";

import { render } from "preact";
import { retryConnection } from "./api/call-api.ts";
import { App } from "./app.tsx";
import { keepFocus } from "./shell/keep-focus.ts";
import { listenToKeys } from "./shell/keyboard.ts";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
listenToKeys();
keepFocus();
retryConnection();
const place = document.getElementById("app");
place?.replaceChildren();
if (place !== null) render(<App />, place);
