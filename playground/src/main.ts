// The entry point of the page: the first script that the browser runs.

import { mount } from "svelte";
import App from "./App.svelte";
import "./base.css";
import { language } from "./text/language.svelte.ts";

// English texts are part of the code, so `language.open` has to wait for a file only when the page is shown in another
// language.
void language.open().then(() => mount(App, { target: document.getElementById("app")! }));
