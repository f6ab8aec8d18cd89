// The entry point of the page: the first script that the browser runs.

import { mount } from "svelte";
import App from "./App.svelte";
import "./base.css";
import { language } from "./text/language.svelte.ts";

// English texts are part of the code, so `open` waits only when another language must be loaded.
void language.open().then(() => mount(App, { target: document.getElementById("app")! }));
